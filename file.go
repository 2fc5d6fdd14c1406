package sluice

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"weak"

	"github.com/sluiceio/sluice/internal/sched"
)

// File is an open file whose disk I/O goes through a [Scheduler]. It has the
// methods of *os.File, with the same results and errors, and wraps one:
// [File.OSFile].
//
// Only regular files and block devices have disk I/O. For everything else
// (directories, pipes, terminals, sockets, files of /proc and /sys that can be
// waited for) each method is the *os.File's.
type File struct {
	file  *os.File
	sched *Scheduler
	core  *sched.File // nil if the file has no disk I/O
	self  weak.Pointer[File]
	// ended is done when the Close that has to wait has returned, for a Close
	// of the Scheduler that comes upon it.
	ended sync.WaitGroup
	// serial numbers the Files in the order in which they were made.
	serial uint64
	// beside, if not nil, is closed with the File: the second descriptor of a
	// DirectFile.
	beside *os.File
	// origin is the File that this one is a view of, if it is one.
	origin *File
}

var serials atomic.Uint64

// newFile takes f over. On an error f is closed.
func (s *Scheduler) newFile(f *os.File) (*File, error) { return s.newPair(f, nil) }

// newPair is newFile of two descriptors, of which the second may be nil.
func (s *Scheduler) newPair(f, beside *os.File) (*File, error) {
	file := &File{file: f, sched: s, core: coreOf(f), serial: serials.Add(1), beside: beside}
	file.self = weak.Make(file)
	if file.core != nil {
		file.ended.Add(1)
		s.cap.file(s.core, f)
	}
	if err := s.add(file.self); err != nil {
		_ = file.closeBoth() // nothing was written
		return nil, err
	}
	runtime.AddCleanup(file, s.remove, file.self)
	return file, nil
}

// Close closes the file, making it unusable for I/O, once its operations in
// progress have ended; those that are called from then on fail with
// os.ErrClosed. A second Close returns an error. What waits for its turn in a
// [Class] ends at once, with os.ErrClosed. Close of a view closes the file.
func (f *File) Close() error {
	if f == nil {
		return os.ErrInvalid
	}
	if f.origin != nil {
		return f.origin.Close()
	}
	if f.core != nil {
		if !f.sched.core.CloseFile(f.core) {
			return f.error("close", os.ErrClosed)
		}
		defer f.ended.Done()
	}
	f.sched.remove(f.self)
	return f.closeBoth()
}

func (f *File) closeBoth() error {
	err := f.file.Close()
	if f.beside == nil {
		return err
	}
	if err1 := f.beside.Close(); err == nil {
		err = err1
	}
	return err
}

// OSFile returns the *os.File inside, for what must have one (os/exec,
// net.FileConn). Its own reads and writes block threads. Close the File, not
// the *os.File, which stays f's: the scheduler may be using its descriptor.
func (f *File) OSFile() *os.File { return f.file }

// hold calls do with f's descriptor, which stays open as long, and returns its error:
// os.ErrClosed, as it is, if f was closed before.
func hold(f *os.File, do func(fd int) error) (err error) {
	conn, closed := f.SyscallConn()
	if closed == nil {
		closed = conn.Control(func(fd uintptr) { err = do(int(fd)) })
	}
	if closed != nil {
		return os.ErrClosed
	}
	return err
}

// error is err as os would give it.
func (f *File) error(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &fs.PathError{Op: op, Path: f.file.Name(), Err: err}
}

// The methods below are those of *os.File.

// Name returns the name of the file as presented to Open.
func (f *File) Name() string { return f.file.Name() }

// Fd returns the descriptor. It is invalid once f is closed or collected; see
// os.File.Fd.
func (f *File) Fd() uintptr {
	if f == nil {
		return ^uintptr(0)
	}
	return f.file.Fd()
}

// SyscallConn returns a raw file; see os.File.SyscallConn.
func (f *File) SyscallConn() (syscall.RawConn, error) { return f.os().SyscallConn() }

// Stat returns the FileInfo structure describing the file.
func (f *File) Stat() (os.FileInfo, error) { return f.os().Stat() }

// Chdir changes the current working directory to the file, which must be a
// directory.
func (f *File) Chdir() error { return f.os().Chdir() }

// Chmod changes the mode of the file.
func (f *File) Chmod(mode os.FileMode) error { return f.os().Chmod(mode) }

// Chown changes the numeric uid and gid of the file.
func (f *File) Chown(uid, gid int) error { return f.os().Chown(uid, gid) }

// ReadDir reads the contents of the directory; see os.File.ReadDir.
func (f *File) ReadDir(n int) ([]os.DirEntry, error) { return f.os().ReadDir(n) }

// Readdir reads the contents of the directory; see os.File.Readdir.
func (f *File) Readdir(n int) ([]os.FileInfo, error) { return f.os().Readdir(n) }

// Readdirnames reads the names in the directory; see os.File.Readdirnames.
func (f *File) Readdirnames(n int) ([]string, error) { return f.os().Readdirnames(n) }

// SetDeadline sets the deadlines of a file that supports them, as regular
// files do not: os.ErrNoDeadline. Use ReadAtContext and WriteAtContext.
func (f *File) SetDeadline(t time.Time) error { return f.os().SetDeadline(t) }

// SetReadDeadline sets the deadline of reads; see SetDeadline.
func (f *File) SetReadDeadline(t time.Time) error { return f.os().SetReadDeadline(t) }

// SetWriteDeadline sets the deadline of writes; see SetDeadline.
func (f *File) SetWriteDeadline(t time.Time) error { return f.os().SetWriteDeadline(t) }

// os returns the *os.File, whose methods give the right error when f is nil.
func (f *File) os() *os.File {
	if f == nil {
		return nil
	}
	return f.file
}
