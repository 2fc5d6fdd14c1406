//go:build amd64 || arm64

package aio

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// ends tells which writes extend their file, and what device that is on. It remembers the
// last file's end while one batch is routed: writes come many to a file.
type ends struct {
	fd     int32
	end    int64  // of fd; 0 when nothing is known
	device uint64 // of fd
	hook   *record.Hook
	find   func(fd int) (end int64, device uint64) // a field so that a test can play devices
}

// forget is called before each batch: others may have changed the files.
func (e *ends) forget() { e.end = 0 }

// extends reports whether op would extend its file, or if that is unknown. An
// empty file is looked at anew for each write.
func (e *ends) extends(op *driver.Op) bool {
	if e.end <= 0 || e.fd != op.FD {
		start := e.hook.Now()
		e.fd = op.FD
		e.end, e.device = e.find(int(op.FD))
		e.hook.Call(start, record.Call{Res: int32(min(e.end, 0)), Syscall: record.SysStatx, Drv: record.DriverAIO})
	}
	return op.Off > e.end-int64(len(op.Buf))
}
