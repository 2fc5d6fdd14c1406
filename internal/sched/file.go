package sched

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/usecount"
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

// openFile is what the scheduler knows of an open file.
type openFile struct {
	fd    int
	flags driver.Flags
	// appends: the file was opened with O_APPEND. A write at the position then goes to the end
	// of the file, and moves the position there.
	appends bool

	// Count counts the operations that use fd: Use starts one and Done ends it.
	usecount.Count

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

	// syncer has concurrent Syncs share their fsyncs.
	syncer groupcommit.Syncer
	// losses is nil unless the kernel follows each write to the file by an fsync of its pages
	// (SyncsWrites). It is set before the file is used.
	losses *groupcommit.Losses

	// parent is the file that this one is a part of (PartOf), or nil. Closing the parent
	// rejects the tickets of this file's operations too. It is set before the file is used.
	parent *openFile

	// device is the device that the file is on, or 0 before it was asked for. See deviceOf.
	device atomic.Uint64
	// engine is where the file's operations are queued. It is nil before the first one, and
	// never changes after that. See engineOf.
	engine atomic.Pointer[ioengine.Engine]

	// name and ref identify the file in records. name is set before the file is used.
	name string
	ref  record.FileRef
}

// PartOf makes f, another descriptor of the same file, a part of main. Operations on f that
// wait for their tickets end when main is closed. PartOf must be called before the first
// operation.
func (f *File) PartOf(main *File) { f.parent = main.openFile }

// NewFile returns the File of an open descriptor. The caller still owns the descriptor, and
// closes it after Close has returned. Direct and appends report whether it was opened with
// O_DIRECT and with O_APPEND.
func NewFile(fd int, direct, appends bool) *File {
	f := &File{openFile: new(openFile)}
	f.Init()
	f.set(fd, direct, appends)
	return f
}

// SyncsWrites notes that the kernel follows each write to the file by an fsync of its pages:
// the file was opened with O_SYNC or O_DSYNC, and its writes go through the page cache. It
// must be called before the first operation.
func (f *File) SyncsWrites() { f.losses = new(groupcommit.Losses) }

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

// Close stops new operations from starting and waits for those in progress. It reports whether
// this was the first call.
func (f *File) Close() bool { return f.close(func() {}) }

// close is Close. It calls begun as soon as no operation can start any more.
func (f *File) close(begun func()) bool {
	first := f.Count.Close(begun)
	if first {
		f.syncer.CloseSecondFD()
	}
	return first
}

// CloseFile is f.Close, and makes sure that f's operations in flight are reaped. Otherwise
// nobody might reap those of a Group, least of all if the owner of the Group is what closes
// the file.
func (s *Scheduler) CloseFile(f *File) bool {
	s.rings.RequireReapers()
	defer s.rings.ReleaseReapers()
	return f.close(func() { s.classes.RejectFile(&f.Count) })
}

// async reports whether the driver can perform code on f without a thread.
func (s *Scheduler) async(code driver.Code, f *File) bool {
	// An append extends the file. The kernel locks the inode for it and waits, in io_submit or
	// in one of io_uring's threads.
	if f.appends && code == driver.Write {
		return false
	}
	if s.rings.Lost() {
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
