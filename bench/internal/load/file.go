package load

import (
	"errors"
	"fmt"
	"os"
)

// file has the methods that a load needs of the file under test. All sides are called through it,
// so that each side pays for the interface.
type file interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Sync() error
	Close() error
}

// target is the file under test as one side has opened it, with this side's operations.
type target struct {
	file
	explain func() string // how the side describes itself; nil for os.File
	stats   func() any    // nil for os.File
	close   func() error

	// do is the operation, for ways that do not call file's methods.
	do func(buf []byte, off int64) error
	// each returns do for one client, for ways in which each client has its own.
	each func(client int) func(buf []byte, off int64) error
	// buffers returns the peak of the memory that the side reads into. It is nil if that memory is
	// the clients' buffers.
	buffers   func() int64
	ownMemory bool // the side reads into its own memory; clients need no buffers

	// begin is called before a slice, and end after it; both may be nil. A stream opens at off in
	// begin, and closes in end.
	begin func(off int64) error
	end   func() error
	// many performs a whole slice, for ways that are loops over many reads. It reads at each offset
	// of next and calls took after each read, until took returns false.
	many func(next func() (int64, bool), took func() bool) error
	// flood reads for Load.Flood. If it is nil, file does.
	flood func(buf []byte, off int64) error
	// syscalls returns the system calls of the slice, after end. It is nil without Side.Timed.
	syscalls func() *Syscalls
}

// unsupportedError reports that this machine lacks a feature that a load needs. It is not a
// failure.
type unsupportedError struct{ reason string }

func (e *unsupportedError) Error() string { return e.reason }

// Unsupported returns the error of a Performer on a machine that lacks a feature that the load
// needs.
func Unsupported(reason string) error { return &unsupportedError{reason} }

// openTarget opens the file for the load through the side's Way.
func openTarget(s Setup) (*target, error) {
	flag := os.O_RDONLY
	if s.Load.Kind.Write() {
		flag = os.O_RDWR
	}
	if s.Load.Kind.Direct() {
		if err := checkDirect(s.Path, flag); err != nil {
			return nil, err
		}
		flag |= openDirect
	}
	if s.Load.Kind.OwnFiles() {
		return openOwn(s)
	}
	switch s.Side.Way {
	case BySluice:
		if s.Load.Kind == ReadBuffer {
			return openBuffers(s)
		}
		if s.Side.Timed {
			return openTimed(s.Path, flag, s.Side.Driver)
		}
		if s.Side.Class != "" {
			return openClassed(s, flag)
		}
		return openSluice(s.Path, flag, s.Side.Driver)
	case ByBuffer:
		return openBuffers(s)
	case ByMany:
		return openMany(s)
	case ByReader, ByNext:
		return openStream(s)
	case ByCache:
		return openCache(s)
	case ByMmap:
		return openMmap(s)
	case ByMapped:
		return openMapped(s)
	case ByPaper:
		return openPaperAIO(s.Path, flag, s.Load.Goroutines, s.Side.Timed)
	case ByOS:
	default:
		return nil, fmt.Errorf("unknown way %q", s.Side.Way)
	}
	f, err := os.OpenFile(s.Path, flag, 0)
	if err != nil {
		return nil, err
	}
	return &target{file: f, close: f.Close}, nil
}

// checkDirect returns an *unsupportedError if the file cannot be opened with O_DIRECT. It gives
// every side the same reason.
func checkDirect(path string, flag int) error {
	if openDirect == 0 {
		return &unsupportedError{"no O_DIRECT on this system"}
	}
	f, err := os.OpenFile(path, flag|openDirect, 0)
	if errors.Is(err, errNoDirect) {
		return &unsupportedError{"no O_DIRECT on this file system"}
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// operation returns the operation that a client repeats.
func (t *target) operation(l Load, client int) func(buf []byte, off int64) error {
	switch {
	case t.each != nil:
		return t.each(client)
	case t.do != nil:
		return t.do
	case l.Kind.bare() == WriteSync:
		return t.writeSync
	case l.Kind.Write():
		return t.write
	}
	return t.read
}

func (t *target) read(buf []byte, off int64) error {
	if n, err := t.ReadAt(buf, off); n != len(buf) {
		return fmt.Errorf("read %d of %d bytes at %d: %w", n, len(buf), off, err)
	}
	return nil
}

func (t *target) write(buf []byte, off int64) error {
	if n, err := t.WriteAt(buf, off); n != len(buf) {
		return fmt.Errorf("wrote %d of %d bytes at %d: %w", n, len(buf), off, err)
	}
	return nil
}

func (t *target) writeSync(buf []byte, off int64) error {
	if err := t.write(buf, off); err != nil {
		return err
	}
	return t.Sync()
}
