package trace

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	kernel "github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/record"
)

// driver and call are the numbers of drivers and of system calls, with their names.
type (
	driver uint8
	call   uint8
)

func (d driver) String() string { return driverName(uint8(d)) }
func (c call) String() string   { return syscallName(uint8(c)) }

func trialOf(k governor.Kind, c governor.Choice) call {
	return call(record.Trials + 2*uint8(k) + uint8(c))
}

// TestNumbers holds the numbers that files of traces have, and their names.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		got  interface{ String() string }
		n    int
		name string
	}{
		{KindRead, 1, "read"},
		{KindWrite, 2, "write"},
		{KindFsync, 3, "fsync"},
		{KindFdatasync, 4, "fdatasync"},
		{Kind(record.KindRead), 1, "read"},
		{Kind(record.KindWrite), 2, "write"},
		{Kind(record.KindFsync), 3, "fsync"},
		{Kind(record.KindFdatasync), 4, "fdatasync"},
		{Kind(record.KindOpen), 5, "open"},
		{Kind(record.KindClose), 6, "close"},
		{Kind(record.KindAllocate), 7, "allocate"},
		{Kind(record.KindTruncate), 8, "truncate"},
		{Kind(record.KindAdvise), 9, "advise"},
		{Kind(record.KindStat), 10, "stat"},
		{Kind(record.KindLstat), 11, "lstat"},
		{Kind(record.KindRename), 12, "rename"},
		{Kind(record.KindLink), 13, "link"},
		{Kind(record.KindSymlink), 14, "symlink"},
		{Kind(record.KindUnlink), 15, "unlink"},
		{Kind(record.KindRmdir), 16, "rmdir"},
		{Kind(record.KindMkdir), 17, "mkdir"},
		{PathCached, 0, "cached"},
		{PathPlain, 1, "plain"},
		{PathQueued, 2, "queued"},
		{PathShared, 3, "shared"},
		{Path(record.PathCached), 0, "cached"},
		{Path(record.PathPlain), 1, "plain"},
		{Path(record.PathQueued), 2, "queued"},
		{Path(record.PathShared), 3, "shared"},
		{driver(record.DriverNone), 0, ""},
		{driver(record.DriverOf("uring")), 1, "uring"},
		{driver(record.DriverOf("aio")), 2, "aio"},
		{driver(record.DriverOf("pool")), 3, "pool"},
		{driver(record.DriverOf("sim")), 4, "other"},
		{call(record.SysNone), 0, ""},
		{call(record.SysUringSetup), 1, "io_uring_setup"},
		{call(record.SysUringEnter), 2, "io_uring_enter"},
		{call(record.SysUringRegister), 3, "io_uring_register"},
		{call(record.SysIOSetup), 4, "io_setup"},
		{call(record.SysIOSubmit), 5, "io_submit"},
		{call(record.SysIOGetevents), 6, "io_getevents"},
		{call(record.SysIODestroy), 7, "io_destroy"},
		{call(record.SysPreadv2), 8, "preadv2"},
		{call(record.SysPread), 9, "pread64"},
		{call(record.SysPwrite), 10, "pwrite64"},
		{call(record.SysFsync), 11, "fsync"},
		{call(record.SysFdatasync), 12, "fdatasync"},
		{call(record.SysSyncFileRange), 13, "sync_file_range"},
		{call(record.SysStatx), 14, "statx"},
		{call(record.SysEventfd), 15, "write(eventfd)"},
		{call(record.SysRead), 16, "read"},
		{call(record.SysWrite), 17, "write"},
		{trialOf(governor.Reads, governor.Queue), 18, "trial reads queue"},
		{trialOf(governor.Reads, governor.Plain), 19, "trial reads plain"},
		{trialOf(governor.LargeReads, governor.Queue), 20, "trial large queue"},
		{trialOf(governor.PositionReads, governor.Plain), 23, "trial pos. plain"},
		{trialOf(governor.Writes, governor.Queue), 24, "trial write queue"},
		{trialOf(governor.Kinds-1, governor.Plain), 27, "trial fsync plain"},
		{Kind(99), 99, "kind(99)"},
		{Path(99), 99, "path(99)"},
		{driver(99), 99, "driver(99)"},
		{call(99), 99, "syscall(99)"},
	} {
		if c.got.String() != c.name {
			t.Errorf("number %d is called %q; want %q", c.n, c.got, c.name)
		}
		if got := reflect.ValueOf(c.got).Uint(); got != uint64(c.n) {
			t.Errorf("%s is recorded as %d; want %d", c.name, got, c.n)
		}
	}
}

// TestTrial checks that only the trials are no system calls.
func TestTrial(t *testing.T) {
	for c := range 256 {
		want := strings.HasPrefix(syscallName(uint8(c)), "trial ")
		if got := callOf(record.Call{Syscall: uint8(c)}, 0).Trial; got != want {
			t.Errorf("Trial of %s = %v; want %v", syscallName(uint8(c)), got, want)
		}
	}
}

// TestNamesBack checks that each name has its number, also a name that only a newer version has.
func TestNamesBack(t *testing.T) {
	for n := range 256 {
		if got := driverNumber(driverName(uint8(n))); int(got) != n {
			t.Errorf("driver %q has number %d; want %d", driverName(uint8(n)), got, n)
		}
		if got := syscallNumber(syscallName(uint8(n))); int(got) != n {
			t.Errorf("system call %q has number %d; want %d", syscallName(uint8(n)), got, n)
		}
	}
	if d, c := driverNumber("theirs"), syscallNumber("theirs"); d != record.DriverOther || c != record.SysNone {
		t.Errorf("names that nobody knows have numbers %d and %d; want %d and %d", d, c, record.DriverOther, record.SysNone)
	}
}

// TestOf checks that a Recorder has an inside, which package sluice gets.
func TestOf(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if core := record.Of(r); core == nil || core != r.core {
		t.Errorf("record.Of = %p; want %p", core, r.core)
	}
}

// TestSyscall checks that kind, path and offset of an operation determine its system call.
func TestSyscall(t *testing.T) {
	for _, c := range []struct {
		op   Op
		want string
	}{
		{Op{Kind: KindRead, Path: PathPlain}, "pread64"},
		{Op{Kind: KindRead, Path: PathPlain, Offset: -1}, "read"},
		{Op{Kind: KindWrite, Path: PathPlain, Offset: 4096}, "pwrite64"},
		{Op{Kind: KindWrite, Path: PathPlain, Offset: -1}, "write"},
		{Op{Kind: KindRead, Path: PathCached, Offset: -1}, "preadv2"},
		{Op{Kind: KindRead, Path: PathQueued}, ""},
		{Op{Kind: KindFsync, Path: PathPlain}, "fsync"},
		{Op{Kind: KindFsync, Path: PathShared}, ""},
	} {
		if got := c.op.Syscall(); got != c.want {
			t.Errorf("a %s by path %s at %d was %q; want %q", c.op.Kind, c.op.Path, c.op.Offset, got, c.want)
		}
	}
}

// TestKinds checks that each operation of a driver has a Kind with its number and name.
func TestKinds(t *testing.T) {
	for c := range kernel.NumCodes {
		if got, want := Kind(c).String(), c.String(); got != want {
			t.Errorf("kind %d is %q; want %q", c, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Events: -1}, {Events: record.MaxEvents + 1}} {
		if r, err := New(o); r != nil || err == nil {
			t.Errorf("New(%+v) = %v, %v; want an error", o, r, err)
		}
	}
	r, err := New(Options{Events: 100, KeepOldest: true})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Trace().Meta; !m.KeptOldest || m.PID == 0 || m.OS == "" || m.GoVersion == "" || m.Start.IsZero() || m.Lost != 0 {
		t.Errorf("an empty trace is about %+v", m)
	}
	if r.core.On() {
		t.Error("a new Recorder records")
	}
	synctest.Test(t, func(t *testing.T) { // where the clock shows a time before the process began
		r, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Trace().Meta; m.Duration != 0 {
			t.Errorf("in a bubble a trace lasted %v; want 0", m.Duration)
		}
	})
}
