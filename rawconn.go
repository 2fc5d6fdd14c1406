package sluice

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/sys"
)

// rawConn is what SyscallConn returns of a file with disk I/O.
type rawConn struct {
	syscall.RawConn
	file *File
}

// Read has the file's position for do alone, as Read of an os.File has. Package net calls
// it to send the file: what is sent first is in memory before do is called, so
// that the thread does not wait for it.
func (c rawConn) Read(do func(fd uintptr) bool) (err error) {
	f := c.file
	if !f.h.Core.Use() {
		return c.RawConn.Read(do) // says why not
	}
	f.h.Sched.Core.UsePosition(f.h.Core, f.h.Core.Done, func() { err = c.RawConn.Read(f.counted(do)) })
	return err
}

// counted is do, by which the file's position moves over what the kernel copies.
func (f *File) counted(do func(fd uintptr) bool) func(fd uintptr) bool {
	return func(fd uintptr) bool {
		from, _ := sys.Tell(int(fd))
		done := do(fd)
		to, _ := sys.Tell(int(fd))
		f.h.Sched.Core.Copied(to - from)
		return done
	}
}
