package sluice_test

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

// fileAPI is what *os.File and *sluice.File both are.
type fileAPI interface {
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
	_ fileAPI = (*os.File)(nil)
	_ fileAPI = (*sluice.File)(nil)
)

// opener is os.OpenFile or its like. The fileAPI is nil when the error is not.
type opener func(name string, flag int, perm fs.FileMode) (fileAPI, error)

func osOpen(name string, flag int, perm fs.FileMode) (fileAPI, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func openOn(s *sluice.Scheduler) opener {
	return func(name string, flag int, perm fs.FileMode) (fileAPI, error) {
		f, err := s.OpenFile(name, flag, perm)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// describe prints all of an error that a program can see: the types and the
// texts of its chain. dir, the directory that it happened in, is left out.
func describe(err error, dir string) string {
	var b strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		if pe, ok := err.(*fs.PathError); ok {
			fmt.Fprintf(&b, "*fs.PathError(%s %s) ", pe.Op, inside(pe.Path, dir))
		} else {
			fmt.Fprintf(&b, "%T(%s) ", err, inside(err.Error(), dir))
		}
	}
	if b.Len() == 0 {
		return "no error"
	}
	return strings.TrimSpace(b.String())
}

func inside(text, dir string) string {
	if dir == "" {
		return text
	}
	return strings.ReplaceAll(text, dir, "DIR")
}
