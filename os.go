package sluice

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/internal/handle"
)

// ReadFile reads the named file and returns its contents; see os.ReadFile. For a file larger than
// the machine's memory, such as a sparse one, the error is ENOMEM.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads f to its end, as os.ReadFile does.
func readAll(f *File) ([]byte, error) {
	var size int64
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	b, err := handle.ReadAll(size, f.Read)
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		err = f.h.Error("read", err)
	}
	return b, err
}

// WriteFile writes data to the named file, creating or truncating it; see
// os.WriteFile.
func WriteFile(name string, data []byte, perm os.FileMode) error {
	f, err := OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err1 := f.Close(); err == nil {
		err = err1
	}
	return err
}

// DirFS returns a file system for the tree of files rooted at dir, whose files are Files of this
// package. Like os.DirFS it follows symbolic links out of dir.
func DirFS(dir string) fs.FS { return dirFS{fs: os.DirFS(dir), dir: dir} }

// dirFS is os.DirFS with Open and ReadFile through the scheduler. Calls without disk I/O on files
// go to package os.
type dirFS struct {
	fs  fs.FS
	dir string
}

var (
	_ fs.ReadFileFS = dirFS{}
	_ fs.ReadDirFS  = dirFS{}
	_ fs.StatFS     = dirFS{}
	_ fs.ReadLinkFS = dirFS{}
)

// Open opens the named file. Its errors have the name as the caller gave it.
func (d dirFS) Open(name string) (fs.File, error) {
	f, err := d.open("open", name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d dirFS) open(op, name string) (*File, error) {
	if d.dir == "" {
		return nil, &fs.PathError{Op: op, Path: name, Err: errors.New("sluice: DirFS with empty root")}
	}
	local, err := filepath.Localize(name)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if !os.IsPathSeparator(d.dir[len(d.dir)-1]) {
		local = string(os.PathSeparator) + local
	}
	f, err := Open(d.dir + local)
	var pe *fs.PathError
	if errors.As(err, &pe) {
		pe.Path = name
	}
	return f, err
}

// ReadFile reads the named file.
func (d dirFS) ReadFile(name string) ([]byte, error) {
	f, err := d.open("readfile", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := readAll(f)
	var pe *fs.PathError
	if errors.As(err, &pe) {
		pe.Path = name
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// ReadDir reads the named directory.
func (d dirFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.fs, name) }

// Stat describes the named file.
func (d dirFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(d.fs, name) }

// Lstat describes the named file, not following a symbolic link.
func (d dirFS) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(d.fs, name) }

// ReadLink returns the destination of the named symbolic link.
func (d dirFS) ReadLink(name string) (string, error) { return fs.ReadLink(d.fs, name) }
