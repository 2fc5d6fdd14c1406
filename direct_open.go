package sluice

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sys"
)

var (
	errAppends = fmt.Errorf("a DirectFile has no position to append at: %w", syscall.EINVAL)
	errNoDisk  = fmt.Errorf("neither a regular file nor a block device: %w", errors.ErrUnsupported)
)

// OpenDirect is the function OpenDirect, on this Scheduler.
func (s *Scheduler) OpenDirect(name string) (*DirectFile, error) {
	return s.OpenDirectFile(name, os.O_RDONLY, 0)
}

// CreateDirect is the function CreateDirect, on this Scheduler.
func (s *Scheduler) CreateDirect(name string) (*DirectFile, error) {
	return s.OpenDirectFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenDirectFile is the function OpenDirectFile, on this Scheduler.
func (s *Scheduler) OpenDirectFile(name string, flag int, perm os.FileMode) (*DirectFile, error) {
	d, err := s.openDirect(name, flag, perm)
	if err == nil {
		return d, nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		err = &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return nil, err
}

func (s *Scheduler) openDirect(name string, flag int, perm os.FileMode) (*DirectFile, error) {
	if flag&os.O_APPEND != 0 {
		return nil, errAppends
	}
	// Asked before the open creates or truncates a file, or waits for the other end
	// of a pipe.
	if err := s.h.Usable(); err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil && !onDisk(info.Mode()) {
		return nil, notOnDisk(info.Mode())
	}
	f, err := os.OpenFile(name, flag&^sys.O_DIRECT, perm)
	if err != nil {
		return nil, err
	}
	d, err := s.newDirect(f, flag)
	if err != nil {
		f.Close()
		return nil, err
	}
	return d, nil
}

// newDirect makes a DirectFile of f, which was opened without O_DIRECT. It takes f over
// unless it returns an error.
func (s *Scheduler) newDirect(f *os.File, flag int) (*DirectFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !onDisk(info.Mode()) {
		return nil, notOnDisk(info.Mode())
	}
	second, g, err := reopenDirect(f, flag)
	if err, ok := errors.AsType[refused](err); ok {
		file, err1 := s.newFile(f)
		return &DirectFile{file: file, explanation: "buffered: " + err.Error()}, err1
	}
	if err != nil {
		return nil, err
	}
	return s.newDirectPair(second, f, g, flag)
}

func (s *Scheduler) newDirectPair(second, f *os.File, g geometry, flag int) (*DirectFile, error) {
	node, err := inodeOf(f)
	if err != nil {
		second.Close()
		return nil, err
	}
	access := flag & (os.O_WRONLY | os.O_RDWR)
	d := &direct{geometry: g, sched: s.h.Core, bounces: s.h.Bounces, inode: node, readable: access != os.O_WRONLY}
	if access == os.O_RDONLY {
		f.Close() // nothing was written
		f = nil
	} else {
		d.tailFile, d.tail, d.apart = f, handle.NewCore(f), !sys.KeptByInode(int(f.Fd()))
	}
	file := new(File)
	if err := file.h.Open(s.h, second); err != nil {
		if f != nil {
			f.Close() // nothing was written
		}
		return nil, err
	}
	if f != nil {
		if err := file.h.AlsoClose(f); err != nil {
			return nil, err
		}
	}
	d.core, d.file = file.h.Core, second
	if d.tail != nil {
		d.tail.PartOf(d.core)
	}
	return &DirectFile{file: file, direct: d, explanation: g.String()}, nil
}

// refused is the reason why a file cannot be opened with O_DIRECT. Then the page cache is
// used.
type refused struct{ why string }

func (r refused) Error() string { return r.why }

// onDisk reports whether a file of this mode can be a DirectFile.
func onDisk(mode fs.FileMode) bool {
	return mode.IsRegular() || mode&(fs.ModeDevice|fs.ModeCharDevice) == fs.ModeDevice
}

func notOnDisk(mode fs.FileMode) error {
	if mode.IsDir() {
		return syscall.EISDIR
	}
	return errNoDisk
}
