package trace

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Trace is what a Recorder has recorded.
type Trace struct {
	Meta Meta
	// Files are the names that Op.File counts from 0. The first is "": files
	// whose names are not known.
	Files []string
	// Classes are the names that Op.Class counts from 0. The first is "default".
	// See ClassName.
	Classes []string
	Ops     []Op   // by Queued
	Calls   []Call // by Start
}

// Meta is about the trace as a whole. What is not known is empty or 0.
type Meta struct {
	Program    string        // the program's name
	PID        int           // its process
	Driver     string        // what the operations went through; more than one with commas between
	OS, Arch   string        // as runtime.GOOS, runtime.GOARCH
	Kernel     string        // its release
	CPU        string        // its model
	Cores      int           // that the process may use
	GoMaxProcs int           //
	Memory     int64         // of the machine, in bytes
	GoVersion  string        //
	Start      time.Time     // when the Recorder was made: what all times count from
	Duration   time.Duration // until the Trace was taken; in a file of SLUICE_TRACE, until the last event
	Full       Full          // what was done when the buffers, or the disk that they were on, were full
	Lost       int64         // operations and calls that were overwritten, or refused
}

// Op is an operation: one transfer, as [sluice.Stats] counts them. A ReadAt
// that was served in two parts is two.
//
// [sluice.Stats]: https://pkg.go.dev/github.com/sluiceio/sluice#Stats
type Op struct {
	// Times since Meta.Start, none before the one above it. Where nothing comes
	// between two of them they are equal.
	Queued    time.Duration // asked for
	Submitted time.Duration // handed to the kernel, or the system call made
	Completed time.Duration // done, as far as the driver has seen
	Woken     time.Duration // the goroutine runs again

	Offset int64 // in the file, in bytes; -1 is the file's own position
	Size   int64 // bytes asked for
	Result int64 // bytes transferred, or a negated errno
	File   int32 // index into Trace.Files
	// Slot is the lowest number, from 0, that no other operation has at the
	// same time: operations of a slot do not overlap. It makes tracks, and
	// there are as many as operations were in progress at most.
	Slot int32
	// Batch is how many operations were handed to the driver together; 0
	// where there was none.
	Batch int32
	// Goroutine tells goroutines apart that live at once. It is no number that
	// the runtime knows, and one that begins when another has ended may have the
	// other's. On what is neither amd64 nor arm64, and in what sluice build has
	// built, it tells them apart more often than not, and a goroutine may have
	// several.
	Goroutine uint32
	Kind      Kind
	Path      Path
	Driver    Driver // DriverNone for a plain system call
	Class     uint8  // index into Trace.Classes; [Trace.ClassName]
	// Ring tells apart the rings, or other queues of a driver, of all Schedulers
	// that a Recorder records, from 0 in the order in which they came to it. What
	// goes through no ring has that of its Scheduler's first one. The 256th and
	// later ones have 255.
	Ring uint8
}

// Call is a system call that is nobody's operation by itself: the drivers' own
// ones, looks into the page cache that found nothing, and the like. The plain
// system calls of the paths Cached and Blocking are in Ops: [Op.Syscall].
type Call struct {
	Start    time.Duration // since Meta.Start
	Duration time.Duration
	// Batch is how many operations were handed over by the call, Wait how many
	// completions it was to wait for.
	Batch, Wait int32
	Result      int32  // what it returned, or a negated errno
	Goroutine   uint32 // as Op's
	Slot        int32  // as Op's, among Calls
	Syscall     Syscall
	Driver      Driver // whose it was; DriverNone if the scheduler's
	Ring        uint8  // as Op's
}

// ClassName is the name of the class of that number, which is "default" of 0,
// and "class N" if none is known.
func (t *Trace) ClassName(class uint8) string {
	switch {
	case int(class) < len(t.Classes):
		return t.Classes[class]
	case class == 0:
		return defaultClass
	}
	return "class " + strconv.Itoa(int(class))
}

// classNames are the names of all classes up to the highest number that an
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

// End is when the call returned.
func (c *Call) End() time.Duration { return c.Start + c.Duration }

// InQueue is how long the operation waited in the scheduler.
func (o *Op) InQueue() time.Duration { return o.Submitted - o.Queued }

// InDevice is how long the kernel had the operation, as far as the driver has
// seen.
func (o *Op) InDevice() time.Duration { return o.Completed - o.Submitted }

// Waking is how long the goroutine took to run again.
func (o *Op) Waking() time.Duration { return o.Woken - o.Completed }

// Failed tells whether Result is an error.
func (o *Op) Failed() bool { return o.Result < 0 }

// Syscall is the plain system call that the operation was, from Submitted to
// Completed; SysNone if it went through a driver, or was served by
// another's.
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

// arrange sorts the trace and gives out the slots.
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
