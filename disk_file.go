package sluice

import (
	"context"
	"io"
	"os"
)

// DiskFile is what a [File] and a direct.File have in common, so that a program can take
// either, and a test can wrap both. The methods have the results and the errors of those of
// File, and may be called by any number of goroutines at once.
type DiskFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
	Stat() (os.FileInfo, error)
	ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	Truncate(size int64) error
	Allocate(off, n int64) error
	PunchHole(off, n int64) error
	Advise(off, n int64, a Advice) error
	Sync() error
	SyncContext(ctx context.Context) error
	Datasync() error
	DatasyncContext(ctx context.Context) error
}

var _ DiskFile = (*File)(nil)
