package sluice

import (
	"os"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sys"
)

// File is an open file whose disk I/O goes through a [Scheduler]. It wraps an *os.File, and has its
// methods, with the same results and errors.
//
// Only regular files and block devices have disk I/O; on Windows no file has. All other files, such
// as directories, pipes and sockets, behave as their *os.File does. Their methods with a context
// check it once, at the start. Their Allocate, PunchHole, Advise, Prefetch and SyncRange fail with
// errors.ErrUnsupported.
//
// Offsets and lengths are in bytes. A negative length, or offset in the file, is an error.
type File struct{ h handle.File }

// newFile takes over f, whose descriptor nobody else has. On an error it closes f.
func (s *Scheduler) newFile(f *os.File) (*File, error) {
	file := new(File)
	if err := file.h.Open(s.h, f); err != nil {
		return nil, err
	}
	file.h.PrivatePosition()
	return file, nil
}

// Close waits for the file's operations in progress, and closes the file. Later operations fail
// with os.ErrClosed, and so do operations that wait for a ticket of their [Class]. A second Close
// returns an error that is os.ErrClosed. Closing a view closes the file.
func (f *File) Close() error {
	if f == nil {
		return os.ErrInvalid
	}
	return f.h.Close()
}

// OSFile returns the wrapped *os.File, for code that must have one (os/exec, net.FileConn). Its
// reads and writes hold threads. Close the File and not the *os.File: the Scheduler may be using
// the descriptor.
func (f *File) OSFile() *os.File {
	f.h.SharePosition()
	return f.h.OS
}

// The methods below are as in *os.File.

// Name returns the name of the file as presented to Open.
func (f *File) Name() string { return f.h.OS.Name() }

// Fd returns the descriptor. It is invalid once f is closed or collected; see
// os.File.Fd.
func (f *File) Fd() uintptr {
	if f == nil {
		return ^uintptr(0)
	}
	f.h.SharePosition()
	return f.h.OS.Fd()
}

// SyscallConn returns a raw file; see os.File.SyscallConn. While its Read is in progress, calls
// that use the file's position wait: Read, Write, Seek, ReadFrom, WriteTo. The function that Read
// calls must not call them.
func (f *File) SyscallConn() (syscall.RawConn, error) {
	conn, err := f.os().SyscallConn()
	if err != nil || f.h.IO == nil {
		return conn, err
	}
	f.h.SharePosition()
	return rawConn{conn, f}, nil
}

// Stat returns the FileInfo structure describing the file.
func (f *File) Stat() (os.FileInfo, error) { return f.os().Stat() }

// Chdir changes the current working directory to the file, which must be a
// directory.
func (f *File) Chdir() error { return f.os().Chdir() }

// Chmod changes the mode of the file.
func (f *File) Chmod(mode os.FileMode) error {
	return f.change("chmod", func(file *os.File) error { return file.Chmod(mode) })
}

// Chown changes the numeric uid and gid of the file.
func (f *File) Chown(uid, gid int) error {
	return f.change("chown", func(file *os.File) error { return file.Chown(uid, gid) })
}

// ReadDir reads the contents of the directory; see os.File.ReadDir.
func (f *File) ReadDir(n int) ([]os.DirEntry, error) { return f.os().ReadDir(n) }

// Readdir reads the contents of the directory; see os.File.Readdir.
func (f *File) Readdir(n int) ([]os.FileInfo, error) { return f.os().Readdir(n) }

// Readdirnames reads the names in the directory; see os.File.Readdirnames.
func (f *File) Readdirnames(n int) ([]string, error) { return f.os().Readdirnames(n) }

// SetDeadline sets the deadlines of a file that supports them. For a regular file the error is
// os.ErrNoDeadline: use ReadAtContext and WriteAtContext.
func (f *File) SetDeadline(t time.Time) error { return f.os().SetDeadline(t) }

// SetReadDeadline sets the deadline of reads; see SetDeadline.
func (f *File) SetReadDeadline(t time.Time) error { return f.os().SetReadDeadline(t) }

// SetWriteDeadline sets the deadline of writes; see SetDeadline.
func (f *File) SetWriteDeadline(t time.Time) error { return f.os().SetWriteDeadline(t) }

// os returns the *os.File, or nil if f is nil. A nil *os.File returns the right errors.
func (f *File) os() *os.File {
	if f == nil {
		return nil
	}
	return f.h.OS
}

// rawConn is the result of SyscallConn for a file with disk I/O.
type rawConn struct {
	syscall.RawConn
	file *File
}

// Read calls do with the file's position locked, as Read of an os.File does. Package net sends a
// file this way. Read first brings the next bytes into memory, so that do does not wait for the
// disk.
func (c rawConn) Read(do func(fd uintptr) bool) (err error) {
	f := c.file
	if !f.h.IO.Use() {
		return c.RawConn.Read(do) // says why not
	}
	f.h.Sched.Core.UsePosition(f.h.IO, f.h.IO.Done, func() { err = c.RawConn.Read(f.counted(do)) })
	return err
}

// counted returns do with a count of the bytes by which the kernel moves the file's position.
func (f *File) counted(do func(fd uintptr) bool) func(fd uintptr) bool {
	return func(fd uintptr) bool {
		from, _ := sys.Tell(int(fd))
		done := do(fd)
		to, _ := sys.Tell(int(fd))
		f.h.Sched.Core.Copied(to - from)
		return done
	}
}
