//go:build amd64 || arm64

package at

import (
	"strings"

	"golang.org/x/sys/unix"
)

// ErrNoXattr means that a file lacks an extended attribute.
const ErrNoXattr = unix.ENODATA

// HasXattrs reports whether extended attributes are copied.
const HasXattrs = true

// Xattrs returns the names of f's extended attributes. On a file system without extended attributes
// there are none.
func (k *Kernel) Xattrs(f File) ([]string, error) {
	if err := k.fault("listxattr"); err != nil {
		return nil, err
	}
	for {
		n, err := f.list(nil)
		if err == unix.EOPNOTSUPP || err == nil && n == 0 {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		b := make([]byte, n)
		n, err = f.list(b)
		if err == unix.ERANGE { // the list has grown
			continue
		}
		if err != nil || n == 0 {
			return nil, err
		}
		return strings.Split(strings.TrimSuffix(string(b[:n]), "\x00"), "\x00"), nil
	}
}

func (f File) list(b []byte) (n int, err error) {
	if f.Name != nil {
		return unix.Llistxattr(f.path(), b)
	}
	if n, err = unix.Flistxattr(f.FD, b); err != unix.EBADF {
		return n, err
	}
	err = f.viaProc(func(path string) (err error) {
		n, err = unix.Listxattr(path, b)
		return err
	})
	return n, err
}

func (f File) get(name string, b []byte) (n int, err error) {
	if f.Name != nil {
		return unix.Lgetxattr(f.path(), name, b)
	}
	if n, err = unix.Fgetxattr(f.FD, name, b); err != unix.EBADF {
		return n, err
	}
	err = f.viaProc(func(path string) (err error) {
		n, err = unix.Getxattr(path, name, b)
		return err
	})
	return n, err
}

// Xattr returns the value of an extended attribute.
func (k *Kernel) Xattr(f File, name string) ([]byte, error) {
	if err := k.fault("getxattr"); err != nil {
		return nil, err
	}
	for {
		n, err := f.get(name, nil)
		if err != nil || n == 0 {
			return nil, err
		}
		b := make([]byte, n)
		n, err = f.get(name, b)
		if err == unix.ERANGE {
			continue
		}
		return b[:max(n, 0)], err
	}
}

// SetXattr sets an extended attribute.
func (k *Kernel) SetXattr(f File, name string, value []byte) error {
	if err := k.fault("setxattr"); err != nil {
		return err
	}
	if f.Name != nil {
		return unix.Lsetxattr(f.path(), name, value, 0)
	}
	err := unix.Fsetxattr(f.FD, name, value, 0)
	if err == unix.EBADF {
		return f.viaProc(func(path string) error { return unix.Setxattr(path, name, value, 0) })
	}
	return err
}

// RemoveXattr removes an extended attribute.
func (k *Kernel) RemoveXattr(f File, name string) error {
	if err := k.fault("removexattr"); err != nil {
		return err
	}
	if f.Name != nil {
		return unix.Lremovexattr(f.path(), name)
	}
	err := unix.Fremovexattr(f.FD, name)
	if err == unix.EBADF {
		return f.viaProc(func(path string) error { return unix.Removexattr(path, name) })
	}
	return err
}
