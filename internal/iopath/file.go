package iopath

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/usecount"
)

// File is an open file, or a view of an open file whose operations have a class.
type File struct {
	*openFile
	class *qos.Class // nil: the context's class, or the default one
	// askedAt is when the operation was asked for, in a view that was made for one recorded
	// operation. In all other views it is 0. See Paths.ViewForRecord.
	askedAt int64
}

// View returns a view of the same file whose operations are of class c.
func (f *File) View(c *qos.Class) *File { return &File{openFile: f.openFile, class: c} }

// Class returns the view's class, or nil if f is no view.
func (f *File) Class() *qos.Class { return f.class }

// openFile is the state of an open file.
type openFile struct {
	FD    int
	Flags driver.Flags
	// Appends is set if the file was opened with O_APPEND. A write at the position then goes to the
	// end of the file, and moves the position there.
	Appends bool

	// CanLook is true while a read can look into the page cache in a call that cannot wait. With
	// O_DIRECT it is never true. It becomes false when the file system says that it cannot do this
	// for the file; other files may be on other file systems.
	CanLook     atomic.Bool
	cacheMisses missCounter
	// LargeMisses counts the misses of ForeignFile's large reads alone. Beside small reads, which
	// hit what large ones have read ahead, cacheMisses would never reach missesBeforeSkip.
	LargeMisses missCounter
	// needsThread is true once the file system has refused driver.NoWait, as tmpfs does. Direct I/O
	// on the file then needs a thread.
	needsThread atomic.Bool
	// writesWait is true once an operation with driver.NoWait would have had to wait, if several
	// threads may write to the file at once. waited asks for that, once. See leftToKernel.
	writesWait atomic.Bool
	waited     sync.Once
	// refused counts the direct writes that had to wait.
	refused refusals
	// locksReads is set if reads wait for a write to the file. CanQueue asks for it once.
	locksReads bool
	locksAsked sync.Once

	// LostWrites is nil unless the kernel ends each write to the file with an fsync of its pages
	// (SetSyncsWrites). It is set before the file is used.
	LostWrites *groupcommit.LostWrites

	// device is the file's device, or nil before the first question. See DeviceOf. InMemory is
	// written before that, for the file alone: the system uses the numbers of devices again.
	device   atomic.Pointer[device.Device]
	inMemory atomic.Bool

	// main is the file that this one is a part of (SetMain), or the file itself. Closing main
	// rejects the tickets of this file's operations too. It is set before the file is used.
	main *openFile

	// Name and ref identify the file in records. Name is set before the file is used. If there is
	// none, found is the descriptor's name, once a record has needed it.
	Name  string
	found atomic.Pointer[string]
	ref   record.FileRef

	// PositionMu orders the operations that use or move the file's position. For a ForeignFile in
	// the page cache the kernel orders them (Scheduler.ReadCurrent, WriteCurrent).
	PositionMu sync.Mutex
	// Private is set while nobody else can move the file's position: the descriptor was opened for
	// this File and was not given out. Whoever opens the file sets it before the file is used, and
	// SharePosition clears it for good. Guarded by PrivateMu, which is locked after PositionMu, and
	// never during a wait for a disk.
	Private   bool
	PrivateMu sync.Mutex

	// Count counts the operations that use FD: Use starts one and Done ends it. Each ReadAt and
	// WriteAt writes to its cache line. The fields that they read are on other lines: otherwise a
	// write by another processor would make a processor fetch these fields again.
	usecount.Count
	// counts has the operations that were plain calls, or queued. Cached reads are missing: to
	// count them here would cost each one an addition.
	counts counters.One

	// Syncer lets concurrent Syncs share their fsyncs.
	Syncer groupcommit.Syncer
}

// SetMain makes f, another descriptor of the same file, a part of main. When main is closed,
// operations on f that wait for their tickets end. It is called before the first operation.
func (f *File) SetMain(main *File) { f.main = main.openFile }

// NewFile returns the File of an open descriptor. The caller still owns the descriptor, and closes
// it after Close has returned. direct: it was opened with O_DIRECT. appends: with O_APPEND.
func NewFile(fd int, direct, appends bool) *File {
	f := &File{openFile: new(openFile)}
	f.Init()
	f.set(fd, direct, appends)
	return f
}

// SetSyncsWrites notes that the kernel ends each write to the file with an fsync of its pages: the
// file was opened with O_SYNC or O_DSYNC, and its writes go through the page cache. It must be
// called before the first operation.
func (f *File) SetSyncsWrites() { f.LostWrites = new(groupcommit.LostWrites) }

// set stores the descriptor and how it was opened. It must be called before all other methods.
func (f *openFile) set(fd int, direct, appends bool) {
	f.FD, f.Appends, f.main = fd, appends, f
	if direct {
		f.Flags |= driver.Direct | driver.NoWait
	}
	// A direct read finds nothing in the page cache.
	f.CanLook.Store(!direct)
}

// RecordedName returns the file's name for records. When it is first called, the descriptor must be
// open.
func (f *File) RecordedName() string {
	if f.Name != "" {
		return f.Name
	}
	found := f.found.Load()
	if found == nil {
		name := sys.DescriptorName(f.FD)
		found = &name
		f.found.Store(found)
	}
	return *found
}

// Direct reports whether the file was opened with O_DIRECT.
func (f *File) Direct() bool { return f.Flags&driver.Direct != 0 }

// Position calls do while no other operation uses the file's position.
func (f *File) Position(do func()) {
	f.PositionMu.Lock()
	defer f.PositionMu.Unlock()
	do()
}

// BeginWrite records that a transfer begins, if it is a write. EndWrite gets the result.
func (f *File) BeginWrite(code driver.Code) (call uint64) {
	if code == driver.Write && f.LostWrites != nil { // a nil one is not worth a call
		call = f.LostWrites.Begin()
	}
	return call
}

// EndWrite records that the transfer at off has ended with res. Only direct writes look at refused:
// for a buffered one that would be 1 % of its time.
func (f *File) EndWrite(code driver.Code, call uint64, off int64, res int32) {
	if code == driver.Write {
		if f.LostWrites != nil {
			f.LostWrites.End(call, res)
		}
		if f.Flags&driver.Direct == 0 {
			f.Syncer.Written(off, int(res))
		} else if f.refused.skip() {
			f.refused.skipped()
		}
	}
}

// Owner returns the count of the file whose Close rejects the tickets of operations on f.
func (f *openFile) Owner() *usecount.Count { return &f.main.Count }

// Counts returns the operations on f, its views and its parts that were plain calls, or queued.
func (f *File) Counts() counters.Sums { return f.main.counts.Sum() }

// SharePosition notes that other code may move the position from now on. It must be called before
// the descriptor is given out. A Read that looks at the position has reserved the rest of its bytes
// when SharePosition returns. SharePosition does not wait for the transfer of that rest.
func (f *File) SharePosition() {
	f.PrivateMu.Lock()
	defer f.PrivateMu.Unlock()
	f.Private = false
}

// ForeignFile is the File of a descriptor that other code owns, such as an os.File's. The owner
// keeps the descriptor open during each operation, and each operation does what the system call
// does. A ForeignFile needs no Close and no Use. It is a single piece of memory, because programs
// open many files for one read each.
//
// A ForeignFile does not remember that an fsync has failed: a program that makes room on a full
// disk and calls fsync again gets the kernel's answer to that call.
type ForeignFile struct {
	File
	own openFile
}

// Set makes f the File of fd. It must be called before all other methods.
func (f *ForeignFile) Set(fd int, direct, appends bool) {
	f.openFile = &f.own
	f.own.set(fd, direct, appends)
	f.own.Syncer.Init(groupcommit.Options{ForgetErrors: true})
}

// SetAlone is Set for a descriptor that the caller alone uses, with its name for records. f may
// have been another file before.
func (f *ForeignFile) SetAlone(fd int, name string) {
	*f = ForeignFile{}
	f.Set(fd, false, false)
	f.own.Name = name
}

// Misses returns the number of misses in the page cache in a row. While it is 0, the caller may
// look there itself (preadv2(2) with RWF_NOWAIT), and must ask the scheduler for the missing bytes.
// Once the file system has said that it does not know whether a read would wait, the number is
// never 0 again. Misses returns nil for a file that was opened with O_DIRECT.
func (f *File) Misses() *atomic.Uint32 {
	if f.Flags&driver.Direct != 0 {
		return nil
	}
	return &f.cacheMisses.misses
}

// SyncsConcurrently returns a flag that is true while Syncs of f overlap. While it is true, the
// caller must make its buffered writes through Pwrite or WriteCurrent: these count the bytes, and
// the count decides when write-back for the next fsync is started early.
func (f *ForeignFile) SyncsConcurrently() *atomic.Bool { return &f.Syncer.Concurrent }
