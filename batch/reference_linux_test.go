package batch_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// plainly performs a step with package os.
func (s batchStep) plainly(dir string, files map[int]*os.File, disk referenceDisk) (n int, data []byte, info os.FileInfo, err error) {
	f := files[s.open]
	switch s.kind {
	case "read":
		data = make([]byte, s.n)
		n, err = disk.readAt(f, data, int64(s.off))
	case "write":
		n, err = disk.writeAt(f, s.bytesOf(), int64(s.off))
	case "close":
		err = f.Close()
	case "sync", "datasync":
		err = disk.sync(f)
	default:
		if err = s.unsupported(f); err == nil {
			err = disk.refuses(s, dir, f)
		}
		if err == nil {
			info, err = s.called(dir, f)
		}
	}
	return n, data, info, err
}

// unsupported returns the error of a step that needs a file on a disk. A directory is none.
func (s batchStep) unsupported(f *os.File) error {
	if s.kind != "allocate" && s.kind != "advise" {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode().IsRegular() {
		return err
	}
	return pathError(s.kind, f.Name(), errors.ErrUnsupported)
}

// called performs a step that is one plain call, except an open.
func (s batchStep) called(dir string, f *os.File) (info os.FileInfo, err error) {
	name, other := filepath.Join(dir, s.name), filepath.Join(dir, s.other)
	switch s.kind {
	case "truncate":
		return nil, f.Truncate(int64(s.n))
	case "allocate":
		if s.n == 0 {
			return nil, nil
		}
		return nil, pathError("allocate", f.Name(), unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, int64(s.off), int64(s.n)))
	case "advise":
		return nil, nil
	case "stat":
		return os.Stat(name)
	case "lstat":
		return os.Lstat(name)
	case "rename":
		return nil, os.Rename(name, other)
	case "link":
		return nil, os.Link(name, other)
	case "symlink":
		return nil, os.Symlink(s.other, name)
	case "unlink":
		return nil, pathError("remove", name, syscall.Unlink(name))
	case "rmdir":
		return nil, pathError("remove", name, syscall.Rmdir(name))
	}
	return nil, os.Mkdir(name, 0o700)
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: op, Path: name, Err: err}
}

// plainChain performs a chain with package os, and returns the outcome of each step.
func plainChain(steps []batchStep, dir string, disk referenceDisk) (outcomes []string) {
	files := map[int]*os.File{}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	broken := false
	for i, s := range steps {
		if broken {
			outcomes = append(outcomes, "not begun")
			continue
		}
		if s.kind == "open" {
			f, err := s.opened(dir, disk)
			outcomes = append(outcomes, batchOutcome(0, nil, nil, err, dir))
			if broken = err != nil; !broken {
				files[i] = f
			}
			continue
		}
		n, data, info, err := s.plainly(dir, files, disk)
		broken = err != nil
		outcomes = append(outcomes, batchOutcome(n, data, info, err, dir))
	}
	return outcomes
}

func (s batchStep) opened(dir string, disk referenceDisk) (*os.File, error) {
	if err := disk.refuses(s, dir, nil); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, s.name), s.flag, 0o600)
}
