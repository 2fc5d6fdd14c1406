//go:build !linux || (!amd64 && !arm64)

package at

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Raw is not used.
type Raw struct{}

// Fstat sets s to the Stat of an open file.
func (k *Kernel) Fstat(fd int, _ *Raw, s *Stat) error {
	o, err := k.begin("fstat", fd)
	if err != nil {
		return err
	}
	info, err := o.file.Stat()
	if err != nil {
		return bare(err)
	}
	s.set(info)
	return s.identify(o.path, FollowsLinks, info)
}

// Stat sets s to the Stat of the file with that name in dir.
func (k *Kernel) Stat(dir int, name Name, f Follow, s *Stat) error {
	d, err := k.begin("stat", dir)
	if err != nil {
		return err
	}
	return s.ofName(d, name, f)
}

func (s *Stat) ofName(d *open, name Name, f Follow) error {
	if f {
		return s.ofPath(filepath.Join(d.path, name.String()), f)
	}
	info, err := d.root.Lstat(name.String())
	if err != nil {
		return bare(err)
	}
	s.set(info)
	return s.identify(filepath.Join(d.path, name.String()), f, info)
}

func (s *Stat) ofPath(path string, f Follow) error {
	stat := os.Lstat
	if f {
		stat = os.Stat
	}
	info, err := stat(path)
	if err != nil {
		return bare(err)
	}
	s.set(info)
	return s.identify(path, f, info)
}

// set sets the fields that package os has on all systems.
func (s *Stat) set(info fs.FileInfo) {
	t := info.ModTime()
	*s = Stat{
		Mode:   modeOf(info.Mode()),
		Nlink:  1,
		Size:   info.Size(),
		Blocks: (info.Size() + 511) / 512,
		Mtime:  Time{t.Unix(), int64(t.Nanosecond())},
	}
}

// modeOf converts m to the format of st_mode.
func modeOf(m fs.FileMode) uint32 {
	mode := uint32(m.Perm()) | uint32(typeOf(m))<<12
	for bit, is := range map[uint32]fs.FileMode{ModeSUID: fs.ModeSetuid, ModeSGID: fs.ModeSetgid, ModeSticky: fs.ModeSticky} {
		if m&is != 0 {
			mode |= bit
		}
	}
	return mode
}

func typeOf(m fs.FileMode) Type {
	switch m.Type() {
	case 0:
		return Regular
	case fs.ModeDir:
		return Directory
	case fs.ModeSymlink:
		return Symlink
	case fs.ModeNamedPipe:
		return FIFO
	case fs.ModeSocket:
		return Socket
	case fs.ModeDevice:
		return BlockDev
	case fs.ModeDevice | fs.ModeCharDevice:
		return CharDev
	}
	return Unknown
}
