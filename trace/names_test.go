package trace

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// TestNumbers checks the numbers of names in files of traces, which must not change.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		got  interface{ String() string }
		n    int
		name string
	}{
		{OpRead, 1, "read"},
		{OpWrite, 2, "write"},
		{OpFsync, 3, "fsync"},
		{OpFdatasync, 4, "fdatasync"},
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
		{Cached, 0, "cached"},
		{Plain, 1, "plain"},
		{Queued, 2, "queued"},
		{Shared, 3, "shared"},
		{Path(record.PathCached), 0, "cached"},
		{Path(record.PathPlain), 1, "plain"},
		{Path(record.PathQueued), 2, "queued"},
		{Path(record.PathShared), 3, "shared"},
		{Driver(record.DriverNone), 0, ""},
		{Driver(record.DriverOf("uring")), 1, "uring"},
		{Driver(record.DriverOf("aio")), 2, "aio"},
		{Driver(record.DriverOf("pool")), 3, "pool"},
		{Driver(record.DriverOf("sim")), 4, "other"},
		{Syscall(record.SysNone), 0, ""},
		{Syscall(record.SysUringSetup), 1, "io_uring_setup"},
		{Syscall(record.SysUringEnter), 2, "io_uring_enter"},
		{Syscall(record.SysUringRegister), 3, "io_uring_register"},
		{Syscall(record.SysIOSetup), 4, "io_setup"},
		{Syscall(record.SysIOSubmit), 5, "io_submit"},
		{Syscall(record.SysIOGetevents), 6, "io_getevents"},
		{Syscall(record.SysIODestroy), 7, "io_destroy"},
		{Syscall(record.SysPreadv2), 8, "preadv2"},
		{Syscall(record.SysPread), 9, "pread64"},
		{Syscall(record.SysPwrite), 10, "pwrite64"},
		{Syscall(record.SysFsync), 11, "fsync"},
		{Syscall(record.SysFdatasync), 12, "fdatasync"},
		{Syscall(record.SysSyncFileRange), 13, "sync_file_range"},
		{Syscall(record.SysStatx), 14, "statx"},
		{Syscall(record.SysEventfd), 15, "write(eventfd)"},
		{Syscall(record.SysRead), 16, "read"},
		{Syscall(record.SysWrite), 17, "write"},
		{Syscall(record.TrialPlain), 18, "trial (plain)"},
		{Syscall(record.TrialQueue), 19, "trial (queue)"},
		{Kind(99), 99, "kind(99)"},
		{Path(99), 99, "path(99)"},
		{Driver(99), 99, "driver(99)"},
		{Syscall(99), 99, "syscall(99)"},
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
		want := strings.HasPrefix(Syscall(c).String(), "trial ")
		if got := Syscall(c).Trial(); got != want {
			t.Errorf("Trial of %s = %v; want %v", Syscall(c), got, want)
		}
	}
}

// TestOf checks that package sluice gets the inside of a Recorder.
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
		want Syscall
	}{
		{Op{Kind: OpRead, Path: Plain}, record.SysPread},
		{Op{Kind: OpRead, Path: Plain, Offset: -1}, record.SysRead},
		{Op{Kind: OpWrite, Path: Plain, Offset: 4096}, record.SysPwrite},
		{Op{Kind: OpWrite, Path: Plain, Offset: -1}, record.SysWrite},
		{Op{Kind: OpRead, Path: Cached, Offset: -1}, record.SysPreadv2},
		{Op{Kind: OpRead, Path: Queued}, record.SysNone},
		{Op{Kind: OpFsync, Path: Plain}, record.SysFsync},
		{Op{Kind: OpFsync, Path: Shared}, record.SysNone},
	} {
		if got := c.op.Syscall(); got != c.want {
			t.Errorf("a %s by path %s at %d was %q; want %q", c.op.Kind, c.op.Path, c.op.Offset, got, c.want)
		}
	}
}

// TestKinds checks that each operation of a driver has a Kind with its number and name.
func TestKinds(t *testing.T) {
	for c := range driver.AllCodes {
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
	if r.Recording() {
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
