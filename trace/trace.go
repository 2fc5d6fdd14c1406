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
	// Classes holds the names of classes, by Op.Class. The first one is "default".
	// If there are more than 63 classes, the further ones are all "others".
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

	Kind  Kind  // what it does
	Path  Path  // how it was performed
	Class uint8 // index of Trace.Classes
	// Ring is the number of the ring that the operation went through, or of its Scheduler's first
	// ring if it went through none. The Recorder numbers the rings of all its Schedulers, from 0.
	// 255 stands for that and more.
	Ring uint8
	// Driver is "uring", "aio" or "pool", as in sluice.Options.Driver. It is "" if the operation
	// went through none.
	Driver string
}

// Call is a system call that is not an operation: a call of a driver, or a read of the page cache
// that found nothing. [Op.Syscall] returns the system call of an operation.
//
// A governor's trial is a Call, too. A governor decides whether the operations of one kind on a
// device are plain calls or queued. In a trial it takes the other way for a short time. Batch is
// how many operations began in the trial, and Result is their rate, in per mille of the rate before
// and after: 1100 is 10 % faster.
type Call struct {
	Start    time.Duration // since Meta.Start
	Duration time.Duration // until the call returned

	Batch  int32 // how many operations the call submitted
	Wait   int32 // how many completions it had to wait for
	Result int32 // its result, or a negated errno
	Slot   int32 // as Op.Slot, among the Calls

	Goroutine uint32 // as Op.Goroutine
	Ring      uint8  // as Op.Ring
	Trial     bool   // a governor's trial: see above
	// Syscall is the kernel's name of the system call, such as "io_uring_enter". For a trial it is
	// "trial reads queue" if reads were queued in it, or "trial reads plain". In place of reads
	// there are also "large" (reads of 32 KiB and more, without O_DIRECT), "pos." (small reads at
	// the file's position), "write" (with O_DIRECT) and "fsync". The Ring of a trial is the first
	// ring of its device.
	Syscall string
	Driver  string // as Op.Driver; "" if the Scheduler made the call
}

// classNames returns Classes, with a name for each Op.Class: a damaged file, or a program that
// makes a Trace, may have left some out.
func (t *Trace) classNames() []string {
	names := slices.Clip(t.Classes)
	for i := range t.Ops {
		for len(names) <= int(t.Ops[i].Class) {
			if len(names) == 0 {
				names = append(names, "default")
				continue
			}
			names = append(names, "class "+strconv.Itoa(len(names)))
		}
	}
	return names
}

// end returns when the call returned.
func (c *Call) end() time.Duration { return c.Start + c.Duration }

// InQueue returns how long the operation waited in the Scheduler.
func (o *Op) InQueue() time.Duration { return o.Submitted - o.Queued }

// InDevice returns how long the operation was in the kernel and on the disk.
func (o *Op) InDevice() time.Duration { return o.Completed - o.Submitted }

// Waking returns how long the goroutine waited to run again.
func (o *Op) Waking() time.Duration { return o.Woken - o.Completed }

// Syscall returns the name of the system call that performed a read, write or sync without a
// driver, such as "pread64". It lasted from Submitted to Completed. For other operations Syscall
// returns "".
func (o *Op) Syscall() string { return syscallName(o.syscall()) }

func (o *Op) syscall() uint8 {
	switch {
	case o.Path == PathCached:
		return record.SysPreadv2
	case o.Path != PathPlain:
		return record.SysNone
	}
	here := o.Offset < 0 // at the file's own position
	switch o.Kind {
	case KindRead:
		if here {
			return record.SysRead
		}
		return record.SysPread
	case KindWrite:
		if here {
			return record.SysWrite
		}
		return record.SysPwrite
	case KindFsync:
		return record.SysFsync
	case KindFdatasync:
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
