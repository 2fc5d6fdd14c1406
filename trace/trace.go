package trace

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Trace is what a Recorder has recorded.
type Trace struct {
	Meta Meta // what the trace is of
	// Files holds the names that Op.File is an index of. The first is "", for
	// files whose names are not known.
	Files []string
	// Classes holds the names that Op.Class is an index of. The first is
	// "default". A Recorder tells 62 more apart. If there are further ones, their operations
	// have the last one, "others". See ClassName.
	Classes []string
	// Labels holds the labels of goroutines (runtime/pprof) that Op.Label is an
	// index of, each as "key=value key=value", sorted by key. The first is "",
	// for goroutines without labels. It is nil if no goroutine had any.
	Labels []string
	Ops    []Op   // sorted by Queued
	Calls  []Call // sorted by Start
}

// Meta describes the trace as a whole. What is not known is empty or 0.
type Meta struct {
	Program    string        // the program's name
	PID        int           // its process ID
	Driver     string        // the drivers of its Schedulers, separated by commas
	OS, Arch   string        // as in runtime.GOOS and runtime.GOARCH
	Kernel     string        // the kernel's release
	CPU        string        // the processor's model
	Cores      int           // the number of processors that the process may use
	GoMaxProcs int           // runtime.GOMAXPROCS
	Memory     int64         // the memory of the machine, in bytes
	GoVersion  string        // runtime.Version
	Start      time.Time     // when the Recorder was made; all times count from it
	Duration   time.Duration // until the Trace was taken; in a file of SLUICE_TRACE, until the last event
	Full       Full          // what the Recorder did when its buffers, or the disk, were full
	Lost       int64         // operations and calls that were overwritten or not recorded
	// LabelsEnd is the time, since Start, from which on Op.Label is 0, as there was no room for the
	// labels of goroutines; 0 if there was.
	LabelsEnd time.Duration
}

// Op is one operation, as [sluice.Stats] counts them. A ReadAt that took two
// transfers is two operations.
//
// [sluice.Stats]: https://pkg.go.dev/github.com/sluiceio/sluice#Stats
type Op struct {
	// The times since Meta.Start. None is before the one above it. Two of them
	// are equal if nothing happened between them.
	Queued    time.Duration // it was asked for
	Submitted time.Duration // it was handed to the kernel, or the system call was made
	Completed time.Duration // the driver saw that it was done
	Woken     time.Duration // its goroutine ran again

	Offset int64 // in the file, in bytes; -1 is the file's own position
	// Size is the number of bytes asked for. A Recorder has 32 bits for it: 4,294,967,295 stands
	// for that and more, as Truncate and Allocate may have.
	Size   int64
	Result int64 // bytes transferred, or a negated errno
	File   int32 // index into Trace.Files
	// Slot is the lowest number, from 0, that no other operation has at the
	// same time. Operations of one slot do not overlap, so that a viewer can
	// draw each slot as a track. There are as many slots as operations were in
	// progress at once.
	Slot int32
	// Batch is the number of operations that were handed to the driver
	// together; 0 if the operation did not go through a driver.
	Batch int32
	// Goroutine is a number that tells apart goroutines that live at the same
	// time. It is not the runtime's number of the goroutine. A goroutine may
	// have the number of one that has ended. On processors other than amd64 and
	// arm64, and in programs made by sluice build, it is only a hint: two
	// goroutines may have the same number, and one goroutine several.
	Goroutine uint32
	Kind      Kind   // what it does
	Path      Path   // how it was performed
	Driver    Driver // DriverNone for a plain system call
	Class     uint8  // index into Trace.Classes; see [Trace.ClassName]
	// Ring is the number of the io_uring ring, or of another driver's queue,
	// that the operation went through. Numbers count the rings of all
	// Schedulers of the Recorder, in the order in which they were added to it.
	// An operation that went through none has the number of its Scheduler's
	// first ring. The 256th and later rings all have 255.
	Ring uint8
	// Label is an index into Trace.Labels: the labels that the goroutine had when
	// the operation ended. A Recorder has room for some 14,000 changes from one text of labels to
	// another by one goroutine; see Meta.LabelsEnd.
	Label int32
}

// Call is a system call that is no operation by itself: the calls that drivers
// make, reads of the page cache that found nothing, and the like. The plain
// system calls of operations with the paths Cached and Blocking are not among
// them; [Op.Syscall] returns those of reads, writes and syncs.
//
// A trial of a governor is a Call, too, though no system call; see [TrialPlain].
type Call struct {
	Start    time.Duration // since Meta.Start
	Duration time.Duration // until it returned
	// Batch is the number of operations that the call submitted. Wait is the
	// number of completions that it had to wait for.
	Batch, Wait int32
	Result      int32   // what it returned, or a negated errno
	Goroutine   uint32  // as in Op
	Slot        int32   // as in Op, among Calls
	Syscall     Syscall // which one it is
	Driver      Driver  // the driver that made it; DriverNone if the scheduler did
	Ring        uint8   // as in Op
}

// ClassName returns the name of the class with that number. It is "default" for
// 0, and "class N" if the trace does not have the name.
func (t *Trace) ClassName(class uint8) string {
	switch {
	case int(class) < len(t.Classes):
		return t.Classes[class]
	case class == 0:
		return defaultClass
	}
	return "class " + strconv.Itoa(int(class))
}

// classNames returns the names of all classes up to the highest number that an
// operation has.
func (t *Trace) classNames() []string {
	last := uint8(0)
	for i := range t.Ops {
		last = max(last, t.Ops[i].Class)
	}
	names := make([]string, 0, int(last)+1)
	for c := range int(last) + 1 {
		names = append(names, t.ClassName(uint8(c)))
	}
	return names
}

const defaultClass = "default"

// End returns when the call returned.
func (c *Call) End() time.Duration { return c.Start + c.Duration }

// InQueue returns how long the operation waited in the scheduler.
func (o *Op) InQueue() time.Duration { return o.Submitted - o.Queued }

// InDevice returns how long the operation was in the kernel, until the driver saw
// that it was done.
func (o *Op) InDevice() time.Duration { return o.Completed - o.Submitted }

// Waking returns how long it took until the goroutine ran again.
func (o *Op) Waking() time.Duration { return o.Woken - o.Completed }

// Failed reports whether Result is an error.
func (o *Op) Failed() bool { return o.Result < 0 }

// Syscall returns the plain system call that the operation made, which lasted
// from Submitted to Completed. It is SysNone if the operation went through a
// driver, if another operation's call served it, or if it is no read, write or sync.
func (o *Op) Syscall() Syscall {
	switch {
	case o.Path == Cached:
		return SysPreadv2
	case o.Path != Blocking:
		return SysNone
	}
	here := o.Offset < 0 // at the position of the file
	switch o.Kind {
	case OpRead:
		if here {
			return SysRead
		}
		return SysPread
	case OpWrite:
		if here {
			return SysWrite
		}
		return SysPwrite
	case OpFsync:
		return SysFsync
	case OpFdatasync:
		return SysFdatasync
	}
	return SysNone
}

// arrange sorts the trace and assigns the slots.
func (t *Trace) arrange() {
	slices.SortFunc(t.Ops, func(a, b Op) int {
		return cmp.Or(cmp.Compare(a.Queued, b.Queued), cmp.Compare(a.Woken, b.Woken))
	})
	slices.SortFunc(t.Calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Duration, b.Duration))
	})
	var s slots
	for i := range t.Ops {
		t.Ops[i].Slot = s.take(t.Ops[i].Queued, t.Ops[i].Woken)
	}
	s = slots{}
	for i := range t.Calls {
		t.Calls[i].Slot = s.take(t.Calls[i].Start, t.Calls[i].End())
	}
}
