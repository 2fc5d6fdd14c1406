package handle

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/sluiceio/sluice/internal/sched"
)

// File is the inside of a sluice.File. Open or View sets the fields, and AlsoClose sets second.
// They do not change after that.
type File struct {
	OS    *os.File
	IO    *sched.File // what sched knows of the file; nil if the file has no disk I/O
	Sched *Scheduler
	// Number grows with each opened file. Views of a file have its Number.
	Number uint64

	self weak.Pointer[File]
	// ended is done once the first Close has returned. A Close of the Scheduler waits for it if
	// another goroutine closes the file.
	ended sync.WaitGroup
	// second, if not nil, is closed with the file. AlsoClose sets it.
	second *os.File
	// viewOf is the File behind this view; nil if it is no view.
	viewOf *File
	// plain makes the Syncs if IO is nil. Views of a file share it.
	plain *plainSyncs
}

var numbers atomic.Uint64

// Open makes f, which is zero, an open file of s. It takes file over: on an error file is
// closed. The error is ErrClosed, or NewIO's, unwrapped.
func (f *File) Open(s *Scheduler, file *os.File) error {
	core, err := NewIO(file)
	if err != nil {
		_ = file.Close() // the file was not written to
		return err
	}
	f.OS, f.IO, f.Sched, f.Number = file, core, s, numbers.Add(1)
	f.self = weak.Make(f)
	if f.IO != nil {
		if s.NeverLook {
			f.IO.SetNeverLooks()
		}
		f.ended.Add(1)
		s.caps.opened(s.Core, f.IO)
	} else {
		f.plain = new(plainSyncs)
	}
	if err := s.add(f.self); err != nil {
		_ = file.Close() // the file was not written to
		return err
	}
	runtime.AddCleanup(f, s.remove, f.self)
	return nil
}

// View makes v, which is zero, a view of f: the same file, whose operations are of class c.
func (f *File) View(v *File, c *sched.Class) {
	v.OS, v.Sched, v.Number, v.self, v.viewOf, v.plain = f.OS, f.Sched, f.Number, f.self, f, f.plain
	if f.viewOf != nil {
		v.viewOf = f.viewOf
	}
	if f.IO != nil {
		v.IO = f.IO.View(c)
	}
}

// PrivatePosition notes that only f has the descriptor. The caller has just opened the file. Nobody
// else can move the position, so a Read may look into the page cache at the position before it
// reserves bytes (iopath.File.Private). SharePosition ends that.
func (f *File) PrivatePosition() {
	if f.IO != nil {
		f.IO.Private = true
	}
}

// SharePosition must be called before the *os.File or the descriptor is given out: its receiver can
// read at the position, or duplicate it.
func (f *File) SharePosition() {
	if f.IO != nil {
		f.IO.SharePosition()
	}
}

// AlsoClose makes Close of f, which has disk I/O, close second as well. If f is already closed,
// AlsoClose closes second at once, and returns os.ErrClosed.
func (f *File) AlsoClose(second *os.File) error {
	if !f.IO.Use() { // Close of f waits for Done
		_ = second.Close() // nothing was written
		return os.ErrClosed
	}
	defer f.IO.Done()
	f.second = second
	return nil
}

// Close waits for the file's operations in progress, and closes it. Close of a view closes the
// file.
func (f *File) Close() error {
	switch {
	case f.OS == nil: // the zero File
		return os.ErrInvalid
	case f.viewOf != nil:
		return f.viewOf.Close()
	}
	if f.IO != nil {
		if !f.Sched.Core.CloseFile(f.IO) {
			return f.Error("close", os.ErrClosed)
		}
		defer f.ended.Done()
	}
	f.Sched.remove(f.self)
	err := f.OS.Close()
	if f.second == nil {
		return err
	}
	if err1 := f.second.Close(); err == nil {
		err = err1
	}
	return err
}

// Error returns err as package os would: nil and io.EOF unwrapped, and any other error in an
// *fs.PathError. Every call on the zero File has the error os.ErrInvalid.
func (f *File) Error(op string, err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case f.OS == nil:
		return os.ErrInvalid
	}
	return &fs.PathError{Op: op, Path: f.OS.Name(), Err: err}
}

// ErrNilContext is the error of a call with a nil context.
var ErrNilContext = errors.New("the context is nil")

// ContextError returns ctx's error, or one that says that ctx is nil.
func ContextError(ctx context.Context) error {
	if ctx == nil {
		return ErrNilContext
	}
	return ctx.Err()
}

// WithDescriptor calls do with f's descriptor, which stays open during the call, and returns do's
// error. If f was closed before it returns os.ErrClosed, unwrapped.
func WithDescriptor(f *os.File, do func(fd int) error) (err error) {
	conn, closed := f.SyscallConn()
	if closed == nil {
		closed = conn.Control(func(fd uintptr) { err = do(int(fd)) })
	}
	if closed != nil {
		return os.ErrClosed
	}
	return err
}
