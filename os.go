package sluice

import (
	"errors"
	"io/fs"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
)

// Flags to OpenFile; those of package os.
const (
	O_RDONLY = os.O_RDONLY
	O_WRONLY = os.O_WRONLY
	O_RDWR   = os.O_RDWR
	O_APPEND = os.O_APPEND
	O_CREATE = os.O_CREATE
	O_EXCL   = os.O_EXCL
	O_SYNC   = os.O_SYNC
	O_TRUNC  = os.O_TRUNC
)

// ReadFile reads the named file and returns its contents; see os.ReadFile. A file that is larger
// than the machine's memory, as a sparse one may be, is ENOMEM.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads f to its end, as os.ReadFile.
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
	f, err := OpenFile(name, O_WRONLY|O_CREATE|O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err1 := f.Close(); err == nil {
		err = err1
	}
	return err
}

// DirFS returns a file system for the tree of files rooted at dir, whose
// files are Files of this package. Like os.DirFS it follows symbolic links
// out of dir.
func DirFS(dir string) fs.FS { return dirFS{fs: os.DirFS(dir), dir: dir} }
