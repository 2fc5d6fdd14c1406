package load

import (
	"errors"
	"fmt"
	"os"
)

// file is what a load needs of the file under test. Both sides are called
// through it, so that both pay for the interface.
type file interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Sync() error
	Close() error
}

// target is an opened file under test and what its side has to say.
type target struct {
	file
	explain string
	stats   func() any // nil for os.File
	close   func() error

	// do is the operation of ways that are not calls of file's methods.
	do func(buf []byte, off int64) error
	// each is do where every client, by its number, has one of its own.
	each func(client int) func(buf []byte, off int64) error
	// buffers returns the most memory that the side has read into. It is nil
	// where that is the clients' own.
	buffers func() int64
	lends   bool // it takes no memory of the client's

	// begin precedes a slice, and end follows it: a stream is opened, which
	// begins at off, and closed. Nil where there is nothing to do.
	begin func(off int64) error
	end   func() error
	// many is what the client does all of its slice, of ways that are loops:
	// each offset of next is read, and took is called after each. It ends
	// when took returns false.
	many func(next func() (int64, bool), took func() bool) error
	// flood is a read of Load.Flood, if it is not one of file.
	flood func(buf []byte, off int64) error
	// syscalls returns, after end, those of the slice; nil if Side.Timed is not
	// set.
	syscalls func() *Syscalls
}

// unsupportedError marks what this machine cannot do, as opposed to what
// went wrong.
type unsupportedError struct{ reason string }

func (e *unsupportedError) Error() string { return e.reason }

// openTarget opens path for the load as the side would.
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
	if s.Load.Kind == WriteAppend || s.Load.Kind == WriteLogs {
		return openLogs(s)
	}
	switch s.Side.Way {
	case BySluice:
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

// checkDirect reports, before a side is asked for it, whether the file can be
// opened with O_DIRECT at all.
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

// operation returns what a client does again and again.
func (t *target) operation(l Load, client int) func(buf []byte, off int64) error {
	switch {
	case t.each != nil:
		return t.each(client)
	case t.do != nil:
		return t.do
	case l.Kind == WriteSync:
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
