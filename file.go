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
	// ended is done once the first Close has returned. A Close of the Scheduler waits
	// for it if somebody else is closing the file.
	ended sync.WaitGroup
	// number is the File's place in the order in which Files were made.
	number uint64
	// secondFile, if not nil, is closed with the File: the second descriptor of a
	// DirectFile.
	secondFile *os.File
	// viewOf is the File that this one is a view of, if it is one.
	viewOf *File
}

var fileNumbers atomic.Uint64

// newFile takes over f, which this package opened: nobody else has its descriptor. On an error f is closed.
func (s *Scheduler) newFile(f *os.File) (*File, error) {
	file, err := s.newPair(f, nil)
	if err == nil && file.core != nil {
		file.core.PrivatePosition()
	}
	return file, err
}

// newPair is newFile for two descriptors, of which the second may be nil.
func (s *Scheduler) newPair(f, beside *os.File) (*File, error) {
	file := &File{file: f, sched: s, core: newCoreFile(f), number: fileNumbers.Add(1), secondFile: beside}
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

// Close closes the file once its operations in progress have ended. Operations that are
// called from then on fail with os.ErrClosed. So do operations that their [Class] still
// holds back: they end at once. A second Close returns an error. Close of a view closes
// the file.
func (f *File) Close() error {
	if f == nil {
		return os.ErrInvalid
	}
	if f.viewOf != nil {
		return f.viewOf.Close()
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
	if f.secondFile == nil {
		return err
	}
	if err1 := f.secondFile.Close(); err == nil {
		err = err1
	}
	return err
}

// OSFile returns the *os.File inside, for code that must have one (os/exec,
// net.FileConn). Its own reads and writes block threads. Close the File, not the
// *os.File, which stays f's: the scheduler may be using its descriptor.
func (f *File) OSFile() *os.File {
	f.sharePosition()
	return f.file
}

// sharePosition is called before the *os.File or the descriptor is given out: whoever gets it can read
// at the position, or dup(2) it.
func (f *File) sharePosition() {
	if f.core != nil {
		f.core.SharePosition()
	}
}

// withDescriptor calls do with f's descriptor, which stays open during the call, and
// returns do's error. If f was closed before it returns os.ErrClosed, bare.
func withDescriptor(f *os.File, do func(fd int) error) (err error) {
	conn, closed := f.SyscallConn()
	if closed == nil {
		closed = conn.Control(func(fd uintptr) { err = do(int(fd)) })
	}
	if closed != nil {
		return os.ErrClosed
	}
	return err
}

// error returns err as package os would: nil and io.EOF as they are, others in an
// *fs.PathError.
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
	f.sharePosition()
	return f.file.Fd()
}

// SyscallConn returns a raw file; see os.File.SyscallConn. While its Read is in progress,
// Read and Write at the file's position wait.
func (f *File) SyscallConn() (syscall.RawConn, error) {
	conn, err := f.os().SyscallConn()
	if err != nil || f.core == nil {
		return conn, err
	}
	f.sharePosition()
	return rawConn{conn, f}, nil
}

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

// os returns the *os.File. Its methods return the right error if f is nil.
func (f *File) os() *os.File {
	if f == nil {
		return nil
	}
	return f.file
}
