//go:build amd64 || arm64

package aio

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// fileEnds finds out which writes extend their file, and its device. Within one batch it remembers
// the end of the last file: many writes are often to one file.
type fileEnds struct {
	fd     int32
	end    int64  // the size of fd's file; 0 if unknown
	device uint64 // the device of fd's file
	hook   *record.Hook
	lookup func(fd int) (end int64, device uint64) // a field so that tests can replace it
}

// forget is called before each batch, as other code may have changed the files.
func (e *fileEnds) forget() { e.end = 0 }

// extends reports whether op would extend its file, or may do so. The size of an empty file is
// looked up for each write.
func (e *fileEnds) extends(op *driver.Op) bool {
	if e.end <= 0 || e.fd != op.FD {
		start := e.hook.Now()
		e.fd = op.FD
		e.end, e.device = e.lookup(int(op.FD))
		e.hook.Call(start, record.Call{Res: int32(min(e.end, 0)), Syscall: record.SysStatx, Drv: record.DriverAIO})
	}
	return op.Off > e.end-int64(len(op.Buf))
}
