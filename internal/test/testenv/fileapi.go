package testenv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/sluiceio/sluice"
)

// FileAPI has the common methods of *os.File and *sluice.File.
type FileAPI interface {
	io.ReadWriteSeeker
	io.ReaderAt
	io.WriterAt
	io.ReaderFrom
	io.WriterTo
	io.StringWriter
	io.Closer
	fs.ReadDirFile
	Readdir(n int) ([]fs.FileInfo, error)
	Readdirnames(n int) ([]string, error)
	Truncate(size int64) error
	Sync() error
	Chdir() error
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
	Name() string
	Fd() uintptr
	SyscallConn() (syscall.RawConn, error)
	SetDeadline(t time.Time) error
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

var (
	_ FileAPI = (*os.File)(nil)
	_ FileAPI = (*sluice.File)(nil)
)

// Opener is a function like os.OpenFile. The FileAPI is nil if the error is not.
type Opener func(name string, flag int, perm fs.FileMode) (FileAPI, error)

// OSOpen is os.OpenFile.
func OSOpen(name string, flag int, perm fs.FileMode) (FileAPI, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenOn returns OpenFile of s.
func OpenOn(s *sluice.Scheduler) Opener {
	return func(name string, flag int, perm fs.FileMode) (FileAPI, error) {
		f, err := s.OpenFile(name, flag, perm)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// Describe prints everything in an error that a program can see: the types and the texts of its
// chain. It leaves out dir, the directory of the test.
func Describe(err error, dir string) string {
	var b strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		if pe, ok := err.(*fs.PathError); ok {
			fmt.Fprintf(&b, "*fs.PathError(%s %s) ", pe.Op, Inside(pe.Path, dir))
		} else {
			fmt.Fprintf(&b, "%T(%s) ", err, Inside(err.Error(), dir))
		}
	}
	if b.Len() == 0 {
		return "no error"
	}
	return strings.TrimSpace(b.String())
}

// Inside returns text with DIR instead of dir.
func Inside(text, dir string) string {
	if dir == "" {
		return text
	}
	return strings.ReplaceAll(text, dir, "DIR")
}
