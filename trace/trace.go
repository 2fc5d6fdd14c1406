package trace

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/internal/record"
)

// Trace is the events that a Recorder has recorded.
type Trace struct {
	Meta Meta // the program, the machine and the recording

	// Files holds the names of files, by Op.File. The first one is "", for files without a name.
	Files []string
	// Classes holds the names of classes, by Op.Class; see ClassName. The first one is "default".
	// If there are more than 63 classes, all further ones are called "others".
	Classes []string
	// Labels holds the labels of goroutines (runtime/pprof), by Op.Label, each as
	// "key=value key=value", sorted by key. The first one is "", for goroutines without labels.
	// It is nil if no goroutine had any.
	Labels []string

	Ops   []Op   // sorted by Queued
	Calls []Call // sorted by Start
}

// Meta describes the program, the machine and the recording. An unknown field is empty or 0.
type Meta struct {
	Program    string // the program's name
	PID        int    // its process ID
	Driver     string // the drivers of its Schedulers, separated by commas
	OS, Arch   string // as runtime.GOOS and runtime.GOARCH
	Kernel     string // the kernel's release
	CPU        string // the processor's model
	Cores      int    // as runtime.NumCPU
	GoMaxProcs int    // as runtime.GOMAXPROCS
	Memory     int64  // of the machine, in bytes
	GoVersion  string // as runtime.Version

	Start time.Time // when the Recorder was made; all times of the Trace count from it
	// Duration is the time from Start until the Trace was taken. In a file in which a program
	// records, it is the time until the last event.
	Duration time.Duration

	Lost       int64 // events that were dropped or overwritten
	KeptOldest bool  // the lost events are the latest ones; else the earliest
	// LabelsEnd is the time from which on Op.Label is 0, because the Recorder had no more room for
	// labels. 0 means that all labels are known.
	LabelsEnd time.Duration
}

// Op is one operation, as [sluice.Stats] counts them. A ReadAt that took two transfers is two
// operations.
//
// [sluice.Stats]: https://pkg.go.dev/github.com/sluiceio/sluice#Stats
type Op struct {
	// Times since Meta.Start, in this order. Two are equal if nothing happened between them.
	Queued    time.Duration // the goroutine asked for the operation
	Submitted time.Duration // the kernel got it
	Completed time.Duration // the Scheduler saw that it was done
	Woken     time.Duration // its goroutine ran again

	Offset int64 // in the file, in bytes; -1 is the file's own position
	Size   int64 // bytes asked for; 4,294,967,295 stands for that and more
	Result int64 // bytes transferred, or a negated errno

	File  int32 // index of Trace.Files
	Label int32 // index of Trace.Labels: the goroutine's labels when the operation ended
	// Slot is the lowest number, from 0, that no other operation has at the same time. So
	// operations of one slot do not overlap, and a viewer can draw a slot as a track.
	Slot int32
	// Batch is how many operations were handed to the driver together; 0 without a driver.
	Batch int32
	// Goroutine distinguishes goroutines that live at the same time. It is not the runtime's number
	// of the goroutine. It is only a hint on processors other than amd64 and arm64, and in programs
	// of "sluice build": goroutines may share a number there, or change it.
	Goroutine uint32

	Kind   Kind   // what the operation does
	Path   Path   // how it was performed
	Driver Driver // the zero Driver if it went through none
	Class  uint8  // index of Trace.Classes; see Trace.ClassName
	// Ring is the number of the operation's ring, or of its Scheduler's first ring if it used none.
	// The Recorder numbers the rings of all its Schedulers, from 0. 255 stands for that and more.
	Ring uint8
}

// Call is a system call that is not an operation: a call of a driver, or a read of the page cache
// that found nothing. [Op.Syscall] returns the system call of an operation.
//
// A trial of a governor is a Call, too; see [Syscall.Trial].
type Call struct {
	Start    time.Duration // since Meta.Start
	Duration time.Duration // until the call returned

	Batch  int32 // how many operations the call submitted
	Wait   int32 // how many completions it had to wait for
	Result int32 // its result, or a negated errno
	Slot   int32 // as Op.Slot, among the Calls

	Goroutine uint32  // as Op.Goroutine
	Syscall   Syscall // the system call
	Driver    Driver  // the driver that made it; the zero Driver if the Scheduler did
	Ring      uint8   // as Op.Ring
}

// ClassName returns the name of a class, which is "default" for 0. If Classes is too short, it
// returns "class N".
func (t *Trace) ClassName(class uint8) string {
	switch {
	case int(class) < len(t.Classes):
		return t.Classes[class]
	case class == 0:
		return defaultClass
	}
	return "class " + strconv.Itoa(int(class))
}

// classNames returns the names of all classes up to the highest Op.Class.
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

// end returns the time at which the call returned.
func (c *Call) end() time.Duration { return c.Start + c.Duration }

// InQueue returns how long the operation waited in the Scheduler.
func (o *Op) InQueue() time.Duration { return o.Submitted - o.Queued }

// InDevice returns how long the operation was in the kernel and on the disk.
func (o *Op) InDevice() time.Duration { return o.Completed - o.Submitted }

// Waking returns how long the goroutine waited to run again.
func (o *Op) Waking() time.Duration { return o.Woken - o.Completed }

// Syscall returns the system call that performed a read, write or sync without a driver. It lasted
// from Submitted to Completed. For other operations Syscall returns the zero Syscall.
func (o *Op) Syscall() Syscall {
	switch {
	case o.Path == Cached:
		return record.SysPreadv2
	case o.Path != Plain:
		return record.SysNone
	}
	here := o.Offset < 0 // at the file's own position
	switch o.Kind {
	case OpRead:
		if here {
			return record.SysRead
		}
		return record.SysPread
	case OpWrite:
		if here {
			return record.SysWrite
		}
		return record.SysPwrite
	case OpFsync:
		return record.SysFsync
	case OpFdatasync:
		return record.SysFdatasync
	}
	return record.SysNone
}

// arrange sorts operations and calls, and gives them their slots.
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
		t.Calls[i].Slot = s.take(t.Calls[i].Start, t.Calls[i].end())
	}
}
