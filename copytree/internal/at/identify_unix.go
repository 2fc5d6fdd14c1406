//go:build unix && (!linux || (!amd64 && !arm64))

package at

import (
	"io/fs"
	"syscall"
)

// identify sets the fields of s that package os does not have.
func (s *Stat) identify(_ string, _ Follow, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	s.ID = ID{Dev: uint64(st.Dev), Ino: uint64(st.Ino)}
	s.Nlink = uint64(st.Nlink)
	s.UID, s.GID = st.Uid, st.Gid
	s.Rdev = uint64(st.Rdev)
	s.Blocks = int64(st.Blocks)
	return nil
}
