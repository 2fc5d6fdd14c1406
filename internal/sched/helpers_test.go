package sched

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// While a file system does not say what it is, because it does not answer, the ring goes on with
// the operations of other devices: the leader, which gives the helpers their work, does not ask.
func TestLeaderDoesNotAskTheFileSystem(t *testing.T) {
	hang.Watch(t)
	o, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	ill, well := iopath.NewFile(int(o.Fd()), true, false), iopath.NewFile(1<<20, true, false)
	drv := script.New(8)
	drv.Rule = func(op *driver.Op) (int32, bool) {
		if int(op.FD) == ill.FD {
			return -int32(syscall.EOPNOTSUPP), true
		}
		return int32(len(op.Buf)), true
	}
	s := newOn(drv, queueAll)
	d := s.DeviceOf(ill)
	if d == s.paths.Devices.None() {
		skip.For(t, skip.Disk, "the system does not know the device of a temporary file")
	}
	asked, answer := make(chan struct{}), make(chan struct{})
	go d.InMemory(func() bool { close(asked); <-answer; return false })
	<-asked
	var permits []budget.Permit
	for p, ok := d.Budget.TryAcquire(budget.Reads); ok; p, ok = d.Budget.TryAcquire(budget.Reads) {
		permits = append(permits, p)
	}

	var a, b Transfer
	s.StartRead(&a, ill, make([]byte, 10), 0, 0)
	hang.Eventually(func() bool { return !s.paths.MayQueue(driver.Read, ill) }) // the leader has it
	s.StartRead(&b, well, make([]byte, 10), 0, 0)
	if n, err := b.Wait(t.Context()); n != 10 || err != nil { // hangs if the leader waits
		t.Errorf("a read of another device = %d, %v; want 10", n, err)
	}
	close(answer)
	for _, p := range permits {
		p.Release()
	}
	if n, err := a.Wait(t.Context()); n != 0 || err == nil {
		t.Errorf("a read of an empty file = %d, %v; want its end", n, err)
	}
	s.CloseFile(ill)
	s.CloseFile(well)
	s.Close()
}

// Where threads are the only parallelism, Transfers get all of budget.Parallel, also those that
// were started before the first helper had a permit.
func TestHelpersWiden(t *testing.T) {
	hang.Watch(t)
	const n = budget.Parallel
	var begun atomic.Int32
	all := make(chan struct{})
	wrap := func(iopath.Caller) iopath.Caller {
		return func(_ driver.Code, _ int, b []byte, _ int64) int32 {
			if begun.Add(1) == n {
				close(all)
			}
			<-all // hangs if fewer helpers read at once
			return int32(len(b))
		}
	}
	s := newOn(script.New(8), Options{Wrap: wrap})
	f := iopath.NewFile(1<<20, false, false)
	f.CanLook.Store(false)
	transfers := make([]Transfer, n)
	for i := range transfers {
		s.StartRead(&transfers[i], f, make([]byte, 10), int64(i), 0)
	}
	for i := range transfers {
		if got, err := transfers[i].Wait(t.Context()); got != 10 || err != nil {
			t.Errorf("read %d = %d, %v; want 10", i, got, err)
		}
	}
	s.CloseFile(f)
	s.Close()
}
