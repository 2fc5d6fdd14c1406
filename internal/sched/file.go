package sched

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// File is an open file, or a view of an open file whose operations have a class.
type File struct {
	*openFile
	class *Class // nil: the context's class, or the default one
	// askedAt is when the operation was asked for, in a view that was made for one recorded
	// operation. It is 0 in all others. See Scheduler.viewForRecord.
	askedAt int64
}

// View returns a view of the same file whose operations are of class c.
func (f *File) View(c *Class) *File { return &File{openFile: f.openFile, class: c} }

// Class returns the class that a view was made with. It is nil if f is no view.
func (f *File) Class() *Class { return f.class }

// openFile is what the scheduler knows of an open file.
type openFile struct {
	fd    int
	flags driver.Flags
	// appends: the file was opened with O_APPEND. A write at the position then goes to the end
	// of the file, and moves the position there.
	appends bool

	// refs counts the operations that use fd, and has a bit that stops more from starting:
	//
	//	bits 0–61  number of operations in progress
	//	bit 62     closing
	//
	// A closed descriptor may be another file's at once. So Close waits until the count is 0,
	// as internal/poll's fdMutex does.
	refs atomic.Int64
	// unused holds a value when the last operation has ended after closing was set. It is nil in
	// a ForeignFile.
	unused chan struct{}

	// nowait: a read can be tried without waiting (RWF_NOWAIT). It is false from the beginning
	// with O_DIRECT, and becomes false when the file system says that it cannot do this. It
	// says so about this file alone: other files may be on other file systems.
	nowait      atomic.Bool
	cacheMisses missCounter
	// needsThread is true once the file system has refused driver.NoWait, as tmpfs does.
	// Direct I/O on the file would then need a thread.
	needsThread atomic.Bool

	// position orders the operations that use or move the file's position. ReadCurrent and
	// WriteCurrent take it only where they may reserve bytes.
	position sync.Mutex
	// private is set by PrivatePosition before the file is used, and cleared for good by SharePosition.
	// Guarded by privateMu, which is locked after position, and never while a disk is waited for.
	private   bool
	privateMu sync.Mutex

	syncer syncer
	// unsynced counts the bytes that were written to the page cache since the last fsync
	// began, or since the last early write-back did. It is counted only while Syncs overlap
	// (syncer.concurrent), and roughly: it decides what is worth while, and nothing depends on
	// it.
	unsynced atomic.Int64

	// losses is nil unless the kernel follows each write to the file by an fsync of its pages
	// (SyncsWrites). It is set before the file is used.
	losses *losses

	// parent is the file that this one is a part of (PartOf), or nil. Closing the parent
	// rejects the tickets of this file's operations too. It is set before the file is used.
	parent *openFile

	// device is the device that the file is on, or 0 before it was asked for. See deviceOf.
	device atomic.Uint64
	// engine is where the file's operations are queued. It is nil before the first one, and
	// never changes after that. See engineOf.
	engine atomic.Pointer[engine]

	// name and ref identify the file in records. name is set before the file is used.
	name string
	ref  record.FileRef
}

const closing = 1 << 62

// closing reports whether Close has been called on f's owner.
func (f *openFile) closing() bool { return f.owner().refs.Load()&closing != 0 }

// owner returns the file that f is a part of, or f itself.
func (f *openFile) owner() *openFile {
	if f.parent != nil {
		return f.parent
	}
	return f
}

// PartOf makes f, another descriptor of the same file, a part of main. Operations on f that
// wait for their tickets end when main is closed. PartOf must be called before the first
// operation.
func (f *File) PartOf(main *File) { f.parent = main.openFile }

// NewFile returns the File of an open descriptor. The caller still owns the descriptor, and
// closes it after Close has returned. Direct and appends report whether it was opened with
// O_DIRECT and with O_APPEND.
func NewFile(fd int, direct, appends bool) *File {
	f := &File{openFile: &openFile{unused: make(chan struct{}, 1)}}
	f.set(fd, direct, appends)
	return f
}

// SyncsWrites notes that the kernel follows each write to the file by an fsync of its pages:
// the file was opened with O_SYNC or O_DSYNC, and its writes go through the page cache. It
// must be called before the first operation.
func (f *File) SyncsWrites() { f.losses = new(losses) }

// set notes the descriptor and how it was opened. It must be called before all other methods.
func (f *openFile) set(fd int, direct, appends bool) {
	f.fd, f.appends = fd, appends
	if direct {
		f.flags |= driver.Direct | driver.NoWait
	}
	// A direct read finds nothing in the page cache.
	f.nowait.Store(!direct)
}

// SetName sets the file's name for records. It must be called before the first operation.
func (f *File) SetName(name string) { f.name = name }

// Use starts an operation on the file and reports true, unless the file is closing. The caller
// must end the operation with Done.
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
		default: // a Use that came after closing has raised and lowered refs
		}
	}
}

// useAgain is Use for a goroutine that goes on with an operation. It succeeds even while the
// file is closing, as long as any operation is in progress. The caller must end it with Done.
func (f *File) useAgain() bool {
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

// Close stops new operations from starting and waits for those in progress. It reports whether
// this was the first call.
func (f *File) Close() bool { return f.close(func() {}) }

// close is Close. It calls begun as soon as no operation can start any more.
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
			f.syncer.secondFD.close()
			return true
		}
	}
}

// CloseFile is f.Close, and makes sure that f's operations in flight are reaped. Otherwise
// nobody might reap those of a Group, least of all if the owner of the Group is what closes
// the file.
func (s *Scheduler) CloseFile(f *File) bool {
	s.requireReapers()
	defer s.closing.Add(-1)
	return f.close(func() { s.rejectTickets(f) })
}

// requireReapers starts a leader in each ring that has operations and no leader. Until
// Scheduler.closing is lowered, a leader does not retire before everything in flight has been
// reaped. That is true of rings that are started meanwhile as well.
func (s *Scheduler) requireReapers() {
	s.closing.Add(1)
	for _, e := range *s.rings.all.Load() {
		e.ensureReaper()
	}
}

// async reports whether the driver can perform code on f without a thread.
func (s *Scheduler) async(code driver.Code, f *File) bool {
	// An append extends the file. The kernel locks the inode for it and waits, in io_submit or
	// in one of io_uring's threads.
	if f.appends && code == driver.Write {
		return false
	}
	if s.lost.ring.Load() {
		return false
	}
	if f.flags&driver.Direct != 0 {
		return s.asyncDirect[code] && !f.needsThread.Load()
	}
	// Where a read cannot be tried without waiting, io_uring would take a thread for it too.
	return s.asyncBuffered[code] && f.nowait.Load()
}

// asyncCodes asks the driver once for each operation whether it needs no thread.
func asyncCodes(drv driver.Driver, flags driver.Flags) (async [driver.NumCodes]bool) {
	for code := range async {
		async[code] = drv.Async(&driver.Op{Code: driver.Code(code), Flags: flags})
	}
	return async
}

// Direct reports whether the file was opened with O_DIRECT.
func (f *File) Direct() bool { return f.flags&driver.Direct != 0 }

// Appends reports whether the file was opened with O_APPEND.
func (f *File) Appends() bool { return f.appends }

// Position calls do while no other operation uses the file's position.
func (f *File) Position(do func()) {
	f.position.Lock()
	defer f.position.Unlock()
	do()
}
