package sched

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// File is an open file, or a view of one whose operations have a class.
type File struct {
	*openFile
	class *Class // nil: that of the context, or the default one
	// askedAt is, for the record, when the operation was asked for, of a view
	// that is a single operation's (see Scheduler.inTurn), else 0.
	askedAt int64
}

// View returns a view of the file: the same file, whose operations are c's.
func (f *File) View(c *Class) *File { return &File{openFile: f.openFile, class: c} }

// openFile is what the scheduler knows of an open file.
type openFile struct {
	fd    int
	flags driver.Flags
	// appends: the file was opened with O_APPEND, so that a write at the
	// position moves it to the end of the file.
	appends bool

	// refs counts the operations that use fd, and says that no more may
	// start:
	//
	//	bits 0–61  operations in progress
	//	bit 62     closing
	//
	// A closed descriptor can be another file's at once; so Close waits until
	// the count is 0, as internal/poll's fdMutex does.
	refs   atomic.Int64
	unused chan struct{} // holds a value when the last operation has ended after closing; nil of Borrowed

	// nowait is false once the file system has said that it cannot tell
	// whether a read would wait. That is then true of this file alone.
	nowait atomic.Bool
	cold   streak
	// threaded is true once the file system has refused driver.NoWait, as
	// tmpfs does: direct I/O on it would need a thread.
	threaded atomic.Bool

	// position orders those who use the file's position.
	position sync.Mutex
	syncer   syncer
	// unsynced counts the bytes written to the page cache since an fsync, or
	// the early start of one's write-back, began. Only while Syncs come
	// together, and roughly: it decides what is worth while, nothing else.
	unsynced atomic.Int64

	// main is the file whose Close ends what waits for its turn with this one too,
	// if that is another. Set before it is used.
	main *openFile

	// device is the one that it is on: 0 before somebody has asked. See deviceOf.
	device atomic.Uint64
	// engine is where its operations are queued: nil before the first one, and
	// then always the same. See engineOf.
	engine atomic.Pointer[engine]

	// name and ref are what records know it by. Name is set before it is used.
	name string
	ref  record.FileRef
}

const closing = 1 << 62

// closing tells whether Close has been called, of the file itself or of the one
// that it is a part of.
func (f *openFile) closing() bool { return f.whole().refs.Load()&closing != 0 }

// whole is the file that f is a part of, or f.
func (f *openFile) whole() *openFile {
	if f.main != nil {
		return f.main
	}
	return f
}

// PartOf makes f, another descriptor of the same file, a part of main: what waits
// for its turn with f ends when main is closed. Called before the first operation.
func (f *File) PartOf(main *File) { f.main = main.openFile }

// NewFile returns the File of an open descriptor, which stays the caller's to
// close after Close. Direct and appends tell the flags that it was opened
// with.
func NewFile(fd int, direct, appends bool) *File {
	f := &File{openFile: &openFile{unused: make(chan struct{}, 1)}}
	f.set(fd, direct, appends)
	return f
}

// set notes the descriptor, and how it was opened. Called before all else.
func (f *openFile) set(fd int, direct, appends bool) {
	f.fd, f.appends = fd, appends
	if direct {
		f.flags |= driver.Direct | driver.NoWait
	}
	// A direct read cannot find anything in the page cache.
	f.nowait.Store(!direct)
}

// SetName tells what the file is called, for the record. Called before the
// first operation.
func (f *File) SetName(name string) { f.name = name }

// Use starts an operation on the file, unless it is closing. Done ends it.
func (f *File) Use() bool {
	if f.refs.Add(1)&closing == 0 {
		return true
	}
	f.Done()
	return false
}

// Done ends an operation that Use has started.
func (f *File) Done() {
	if f.refs.Add(-1) == closing {
		select {
		case f.unused <- struct{}{}:
		default: // who came too late has counted up and down after closing
		}
	}
}

// stay is Use for who goes on with an operation: it also succeeds while the
// file is closing, as long as an operation is in progress. Done ends it.
func (f *File) stay() bool {
	for {
		n := f.refs.Load()
		if n == closing {
			return false
		}
		if f.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Close stops operations from being started and waits for those in progress.
// It reports whether this was the first call.
func (f *File) Close() bool { return f.close(func() {}) }

// close is Close, which calls begun once operations cannot be started any more.
func (f *File) close(begun func()) bool {
	for {
		n := f.refs.Load()
		if n&closing != 0 {
			return false
		}
		if f.refs.CompareAndSwap(n, n|closing) {
			begun()
			if n > 0 {
				<-f.unused
			}
			f.syncer.twin.close()
			return true
		}
	}
}

// CloseFile is f.Close that sees to it that what f has in flight is reaped: of
// a Group nobody may do so, least of all an owner that closes the file.
func (s *Scheduler) CloseFile(f *File) bool {
	s.attendAll()
	defer s.closing.Add(-1)
	return f.close(func() { s.refuseTurns(f) })
}

// attendAll has leaders be there in all rings, also in one that is started only
// now, until Scheduler.closing is lowered.
func (s *Scheduler) attendAll() {
	s.closing.Add(1)
	for _, e := range *s.rings.all.Load() {
		e.beLed()
	}
}

// async tells whether the driver can perform code on f without a thread.
func (s *Scheduler) async(code driver.Code, f *File) bool {
	// An append extends the file: the kernel holds the inode for it alone and
	// waits, be it in io_submit or in one of io_uring's threads.
	if f.appends && code == driver.Write {
		return false
	}
	if f.flags&driver.Direct != 0 {
		return s.asyncDirect[code] && !f.threaded.Load()
	}
	// Where a read cannot be tried, io_uring too would take a thread.
	return s.asyncBuffered[code] && f.nowait.Load()
}

// asyncCodes asks the driver once for all operations.
func asyncCodes(drv driver.Driver, flags driver.Flags) (async [driver.NumCodes]bool) {
	for code := range async {
		async[code] = drv.Async(&driver.Op{Code: driver.Code(code), Flags: flags})
	}
	return async
}

// Direct tells whether the file was opened with O_DIRECT.
func (f *File) Direct() bool { return f.flags&driver.Direct != 0 }

// Appends tells whether the file was opened with O_APPEND.
func (f *File) Appends() bool { return f.appends }

// Position calls do while nobody else uses the file's position.
func (f *File) Position(do func()) {
	f.position.Lock()
	defer f.position.Unlock()
	do()
}
