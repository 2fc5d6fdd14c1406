package sluice

import (
	"os"
)

// Open opens the named file for reading; see os.Open.
func Open(name string) (*File, error) { return OpenFile(name, os.O_RDONLY, 0) }

// Create creates or truncates the named file; see os.Create.
func Create(name string) (*File, error) {
	return OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile is the generalized open call; see os.OpenFile. With syscall.O_DIRECT in flag the caller
// must keep to the file system's alignment, as with package os. If fstat(2) of the opened file
// fails, OpenFile closes the file and returns the error; a file that it has created stays.
func OpenFile(name string, flag int, perm os.FileMode) (*File, error) {
	return onDefault(func() (*os.File, error) { return os.OpenFile(name, flag, perm) }, "open", name)
}

// OpenInRoot opens the file name in the directory dir; see os.OpenInRoot.
func OpenInRoot(dir, name string) (*File, error) {
	return onDefault(func() (*os.File, error) { return os.OpenInRoot(dir, name) }, "open", name)
}

// CreateTemp creates a new temporary file; see os.CreateTemp.
func CreateTemp(dir, pattern string) (*File, error) {
	s, err := Default()
	if err != nil {
		return nil, &os.PathError{Op: "createtemp", Path: pattern, Err: err}
	}
	return s.createTemp(dir, pattern)
}

// FromOS returns a File that owns f: close the File, not f. Other code may keep using the
// descriptor. If fstat(2) fails, FromOS closes f and returns the error. If f is already closed, the
// File's methods return os.ErrClosed.
func FromOS(f *os.File) (*File, error) {
	if f == nil {
		return nil, os.ErrInvalid
	}
	s, err := Default()
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: f.Name(), Err: err}
	}
	return s.FromOS(f)
}

// NewFile returns a File that owns the open descriptor fd. It returns nil if fd is not a
// descriptor, as os.NewFile does. If [Default] or fstat(2) fails, it closes fd and returns nil; to
// get the error, call FromOS(os.NewFile(fd, name)).
func NewFile(fd uintptr, name string) *File {
	f, _ := FromOS(os.NewFile(fd, name)) // nil if there is an error
	return f
}

func onDefault(open func() (*os.File, error), op, name string) (*File, error) {
	s, err := Default()
	if err != nil {
		return nil, &os.PathError{Op: op, Path: name, Err: err}
	}
	return s.adopt(open, op, name)
}

// adopt makes a File of the result of open. It checks first that the Scheduler is open, since open
// may create or truncate a file.
func (s *Scheduler) adopt(open func() (*os.File, error), op, name string) (*File, error) {
	if err := s.made().Usable(); err != nil {
		return nil, &os.PathError{Op: op, Path: name, Err: err}
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	file, err := s.newFile(f)
	if err != nil {
		return nil, &os.PathError{Op: op, Path: name, Err: err}
	}
	return file, nil
}

// Open is the function Open, on this Scheduler.
func (s *Scheduler) Open(name string) (*File, error) { return s.OpenFile(name, os.O_RDONLY, 0) }

// Create is the function Create, on this Scheduler.
func (s *Scheduler) Create(name string) (*File, error) {
	return s.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile is the function OpenFile, on this Scheduler.
func (s *Scheduler) OpenFile(name string, flag int, perm os.FileMode) (*File, error) {
	return s.adopt(func() (*os.File, error) { return s.h.OpenFile(name, flag, perm) }, "open", name)
}

// createTemp is CreateTemp on s.
func (s *Scheduler) createTemp(dir, pattern string) (*File, error) {
	name := ""
	file, err := s.adopt(func() (*os.File, error) {
		f, err := os.CreateTemp(dir, pattern)
		if err == nil {
			name = f.Name()
		}
		return f, err
	}, "createtemp", pattern)
	if file == nil && name != "" {
		_ = os.Remove(name) // the caller does not know its name
	}
	return file, err
}

// FromOS is the function FromOS, on this Scheduler.
func (s *Scheduler) FromOS(f *os.File) (*File, error) {
	if f == nil {
		return nil, os.ErrInvalid
	}
	file := new(File)
	if err := file.h.Open(s.made(), f); err != nil {
		return nil, &os.PathError{Op: "open", Path: f.Name(), Err: err}
	}
	return file, nil // other code may use the descriptor: its position is not private
}
