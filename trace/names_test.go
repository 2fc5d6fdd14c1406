package trace

import (
	"testing"
	"testing/synctest"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// TestNumbers: records have the numbers that this package's constants have.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		got  interface{ String() string }
		n    int
		name string
	}{
		{Kind(record.KindRead), int(OpRead), "read"},
		{Kind(record.KindWrite), int(OpWrite), "write"},
		{Kind(record.KindFsync), int(OpFsync), "fsync"},
		{Kind(record.KindOpen), int(OpOpen), "open"},
		{Kind(record.KindClose), int(OpClose), "close"},
		{Kind(record.KindAllocate), int(OpAllocate), "allocate"},
		{Kind(record.KindTruncate), int(OpTruncate), "truncate"},
		{Kind(record.KindAdvise), int(OpAdvise), "advise"},
		{Kind(record.KindStat), int(OpStat), "stat"},
		{Kind(record.KindLstat), int(OpLstat), "lstat"},
		{Kind(record.KindRename), int(OpRename), "rename"},
		{Kind(record.KindLink), int(OpLink), "link"},
		{Kind(record.KindSymlink), int(OpSymlink), "symlink"},
		{Kind(record.KindUnlink), int(OpUnlink), "unlink"},
		{Kind(record.KindRmdir), int(OpRmdir), "rmdir"},
		{Kind(record.KindMkdir), int(OpMkdir), "mkdir"},
		{Path(record.PathCached), int(Cached), "cached"},
		{Path(record.PathBlocking), int(Blocking), "blocking"},
		{Path(record.PathQueued), int(Queued), "queued"},
		{Path(record.PathShared), int(Shared), "shared"},
		{Driver(record.DriverOf("uring")), int(DriverUring), "uring"},
		{Driver(record.DriverOf("aio")), int(DriverAIO), "aio"},
		{Driver(record.DriverOf("pool")), int(DriverPool), "pool"},
		{Driver(record.DriverOf("sim")), int(DriverOther), "other"},
		{Syscall(record.SysUringSetup), int(SysUringSetup), "io_uring_setup"},
		{Syscall(record.SysUringEnter), int(SysUringEnter), "io_uring_enter"},
		{Syscall(record.SysUringRegister), int(SysUringRegister), "io_uring_register"},
		{Syscall(record.SysIOSetup), int(SysIOSetup), "io_setup"},
		{Syscall(record.SysIOSubmit), int(SysIOSubmit), "io_submit"},
		{Syscall(record.SysIOGetevents), int(SysIOGetevents), "io_getevents"},
		{Syscall(record.SysIODestroy), int(SysIODestroy), "io_destroy"},
		{Syscall(record.SysPreadv2), int(SysPreadv2), "preadv2"},
		{Syscall(record.SysPread), int(SysPread), "pread64"},
		{Syscall(record.SysPwrite), int(SysPwrite), "pwrite64"},
		{Syscall(record.SysFsync), int(SysFsync), "fsync"},
		{Syscall(record.SysFdatasync), int(SysFdatasync), "fdatasync"},
		{Syscall(record.SysSyncFileRange), int(SysSyncFileRange), "sync_file_range"},
		{Syscall(record.SysStatx), int(SysStatx), "statx"},
		{Syscall(record.SysEventfd), int(SysEventfd), "write(eventfd)"},
		{Syscall(record.SysRead), int(SysRead), "read"},
		{Syscall(record.SysWrite), int(SysWrite), "write"},
		{Syscall(record.TrialPlain), int(TrialPlain), "trial (plain)"},
		{Syscall(record.TrialQueue), int(TrialQueue), "trial (queue)"},
		{Kind(99), 99, "kind(99)"},
		{Keep, 1, "keep"},
	} {
		if c.got.String() != c.name {
			t.Errorf("number %d is called %q; want %q", c.n, c.got, c.name)
		}
		switch v := c.got.(type) {
		case Kind:
			compareNumber(t, c.name, int(v), c.n)
		case Path:
			compareNumber(t, c.name, int(v), c.n)
		case Driver:
			compareNumber(t, c.name, int(v), c.n)
		case Syscall:
			compareNumber(t, c.name, int(v), c.n)
		}
	}
}

// TestSyscall: the kind, path and offset of an operation determine its plain system call.
func TestSyscall(t *testing.T) {
	for _, c := range []struct {
		op   Op
		want Syscall
	}{
		{Op{Kind: OpRead, Path: Blocking}, SysPread},
		{Op{Kind: OpRead, Path: Blocking, Offset: -1}, SysRead},
		{Op{Kind: OpWrite, Path: Blocking, Offset: 4096}, SysPwrite},
		{Op{Kind: OpWrite, Path: Blocking, Offset: -1}, SysWrite},
		{Op{Kind: OpRead, Path: Cached, Offset: -1}, SysPreadv2},
		{Op{Kind: OpRead, Path: Queued}, SysNone},
		{Op{Kind: OpFsync, Path: Blocking}, SysFsync},
		{Op{Kind: OpFsync, Path: Shared}, SysNone},
	} {
		if got := c.op.Syscall(); got != c.want {
			t.Errorf("a %s by path %s at %d was %q; want %q", c.op.Kind, c.op.Path, c.op.Offset, got, c.want)
		}
	}
}

// TestKinds: each operation of a driver has a Kind with its number and name.
func TestKinds(t *testing.T) {
	for c := range driver.AllCodes {
		if got, want := Kind(c).String(), c.String(); got != want {
			t.Errorf("kind %d is %q; want %q", c, got, want)
		}
	}
}

func compareNumber(t *testing.T, name string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s is recorded as %d; want %d", name, got, want)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Events: -1}, {Events: MaxEvents + 1}, {Full: 2}} {
		if r, err := New(o); r != nil || err == nil {
			t.Errorf("New(%+v) = %v, %v; want an error", o, r, err)
		}
	}
	r, err := New(Options{Events: 100, Full: Keep})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Trace().Meta; m.Full != Keep || m.PID == 0 || m.OS == "" || m.GoVersion == "" || m.Start.IsZero() || m.Lost != 0 {
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
