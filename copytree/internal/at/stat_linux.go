//go:build amd64 || arm64

package at

import (
	"golang.org/x/sys/unix"
)

// Raw is memory for the result of Fstat, so that Fstat allocates nothing.
type Raw struct{ st unix.Stat_t }

// Fstat sets s to the Stat of an open file.
func (k *Kernel) Fstat(fd int, raw *Raw, s *Stat) error {
	if err := k.fault("fstat"); err != nil {
		return err
	}
	n := k.fstat(fd, raw)
	for n == -int32(unix.EINTR) { // FUSE lets signals interrupt it
		n = k.fstat(fd, raw)
	}
	if n < 0 {
		return errno(n)
	}
	s.set(&raw.st)
	return nil
}

func (k *Kernel) fstat(fd int, raw *Raw) int32 { return k.held().Fstat(fd, &raw.st) }

// Stat sets s to the Stat of the file with that name in dir.
func (k *Kernel) Stat(dir int, name Name, f Follow, s *Stat) error {
	if err := k.fault("stat"); err != nil {
		return err
	}
	flags := 0
	if !f {
		flags = unix.AT_SYMLINK_NOFOLLOW
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name.String(), &st, flags); err != nil {
		return err
	}
	s.set(&st)
	return nil
}

func (s *Stat) set(st *unix.Stat_t) {
	*s = Stat{
		ID:     ID{Dev: st.Dev, Ino: st.Ino},
		Mode:   st.Mode,
		Nlink:  uint64(st.Nlink), //nolint:unconvert // 32 bits on arm64
		UID:    st.Uid,
		GID:    st.Gid,
		Rdev:   st.Rdev,
		Size:   st.Size,
		Blocks: st.Blocks,
		Atime:  Time{st.Atim.Sec, st.Atim.Nsec},
		Mtime:  Time{st.Mtim.Sec, st.Mtim.Nsec},
	}
}
