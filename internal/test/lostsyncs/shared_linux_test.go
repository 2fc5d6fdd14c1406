package lostsyncs

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestSharedSync checks that the error of an fsync reaches all Syncs that share it, and all Syncs
// that were called while it ran. That also holds in a program built by `sluice build`, for which
// TestLostSyncs only requires package os's promises.
func TestSharedSync(t *testing.T) {
	for _, at := range strings.Split(*place, ",") {
		t.Run(at, func(t *testing.T) {
			disk := testenv.NewLossy(t, at)
			for _, kind := range []string{"file", "foreign"} {
				t.Run(kind, func(t *testing.T) {
					t.Run("shared", func(t *testing.T) { sharedSync(t, disk, kind, false) })
					t.Run("called meanwhile", func(t *testing.T) { sharedSync(t, disk, kind, true) })
				})
			}
		})
	}
}

// sharedSync has two Syncs that are called while an fsync runs. If first is true, that fsync loses
// the data. Otherwise the next fsync does, which the two Syncs share.
func sharedSync(t *testing.T, disk *testenv.Lossy, kind string, first bool) {
	hang.Watch(t)
	var other atomic.Bool
	ran, free := make(chan struct{}), make(chan struct{})
	wrap := func(call iopath.Caller) iopath.Caller {
		return func(code driver.Code, fd int, b []byte, off int64) int32 {
			res := call(code, fd, b, off)
			if code == driver.Fsync && !other.Swap(true) {
				close(ran)
				<-free
			}
			return res
		}
	}
	s := testenv.SchedulerWith(t, sched.Options{Govern: true, Wrap: wrap}, sluice.Options{Driver: "pool"})
	f := openCore(t, s, disk.File(t, 0), kind)
	core := inside.Scheduler(s).Core
	start := func() chan error {
		ended := make(chan error, 1)
		go func() { ended <- core.Sync(context.Background(), f) }()
		return ended
	}
	write := func(mark string) {
		b := make([]byte, page)
		disk.Block(b, mark)
		if _, err := core.Pwrite(f, b, 0); err != nil {
			t.Fatal(err)
		}
	}

	disk.Losing(true)
	defer disk.Losing(false)
	if first {
		write(testenv.LostMark)
	} else {
		write(testenv.KeptMark)
	}
	a := start()
	<-ran
	if !first {
		write(testenv.LostMark)
	}
	b, c := start(), start()
	testenv.WaitFor(t, "two Syncs to wait for the first", func() bool { return f.Syncer.Members() == 2 })
	close(free)
	if err := <-a; (err != nil) != first {
		t.Errorf("first Sync: %v", err)
	}
	for _, ended := range []chan error{b, c} {
		if <-ended == nil {
			t.Error("Sync = nil for a block that is lost")
		}
	}
	if kind == "file" {
		if core.Sync(context.Background(), f) == nil {
			t.Error("later Sync of a File = nil; a File remembers the error")
		}
		return
	}
	// Not the next Sync: btrfs records one loss twice, when the write fails and when a kernel
	// worker ends its ordered extent. The second time may come after the fsync that reported the
	// first.
	testenv.WaitFor(t, "a later Sync to return nil, for a foreign file does not remember the error", func() bool {
		return core.Sync(context.Background(), f) == nil
	})
}

// openCore opens a file of a kind for the scheduler.
func openCore(t *testing.T, s *sluice.Scheduler, name, kind string) *sched.File {
	if kind == "file" {
		f := must(s.OpenFile(name, os.O_RDWR, 0))(t)
		t.Cleanup(func() { _ = f.Close() })
		return inside.File(f).IO
	}
	h := inside.Scheduler(s)
	if err := h.Acquire(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Release)
	f := must(os.OpenFile(name, os.O_RDWR, 0))(t)
	t.Cleanup(func() { _ = f.Close() })
	foreign := new(sched.ForeignFile)
	foreign.Set(int(f.Fd()), false, false)
	return &foreign.File
}
