package lostsyncs

import (
	"os"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestSecondDescriptor checks that two concurrent Syncs use two descriptors of the file. The kernel
// reports a loss to each descriptor (see groupcommit). The rounds of TestLostSyncs seldom reach
// these cases.
func TestSecondDescriptor(t *testing.T) {
	for _, at := range strings.Split(*place, ",") {
		t.Run(at, func(t *testing.T) {
			disk := testenv.NewLossy(t, at)
			t.Run("opened after the report", func(t *testing.T) { openedAfterReport(t, disk) })
			t.Run("has the report", func(t *testing.T) { secondHasReport(t, disk) })
		})
	}
}

// pair is a File whose first descriptor's fsyncs can be held up.
type pair struct {
	*sluice.File
	t      *testing.T
	disk   *testenv.Lossy
	syncer *groupcommit.Syncer
	// An fsync on the first descriptor sends to held and waits for free, if they are not nil.
	held, free chan struct{}
}

func newPair(t *testing.T, disk *testenv.Lossy) *pair {
	hang.Watch(t)
	p := &pair{t: t, disk: disk}
	wrap := func(call iopath.Caller) iopath.Caller {
		return func(code driver.Code, fd int, b []byte, off int64) int32 {
			if held := p.held; held != nil && fd == inside.File(p.File).IO.FD && (code == driver.Fsync || code == driver.Fdatasync) {
				held <- struct{}{}
				<-p.free
			}
			return call(code, fd, b, off)
		}
	}
	s := testenv.SchedulerWith(t, sched.Options{Govern: true, Wrap: wrap}, sluice.Options{Driver: "pool"})
	p.File = must(s.OpenFile(disk.File(t, 0), os.O_RDWR, 0))(t)
	t.Cleanup(func() { _ = p.Close() })
	p.syncer = &inside.File(p.File).IO.Syncer
	return p
}

// write writes enough for a concurrent Sync to use the second descriptor. The first block has the
// mark.
func (p *pair) write(mark string) {
	p.t.Helper()
	b := make([]byte, groupcommit.HugeWritten)
	p.disk.Block(b[:page], mark)
	p.syncer.Concurrent.Store(true) // as when two Syncs meet
	if _, err := p.WriteAt(b, 0); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) sync() (ended chan error) {
	ended = make(chan error, 1)
	go func() { ended <- p.Sync() }()
	return ended
}

// hold calls Sync, and returns when its fsync on the first descriptor is held up.
func (p *pair) hold() (ended chan error) {
	p.held, p.free = make(chan struct{}), make(chan struct{})
	ended = p.sync()
	<-p.held
	return ended
}

func (p *pair) wantLoss(ended chan error) {
	p.t.Helper()
	if err := <-ended; err == nil {
		p.t.Error("Sync = nil for a block that is lost")
	}
}

// openedAfterReport lets another description of the file get the report of a loss. The File then
// opens its second descriptor, which does not get the report.
func openedAfterReport(t *testing.T, disk *testenv.Lossy) {
	p := newPair(t, disk)
	other := must(os.OpenFile(p.Name(), os.O_RDWR, 0))(t)
	defer other.Close()
	disk.Lose(func() {
		p.write(testenv.LostMark)
		if other.Sync() == nil {
			t.Fatal("Sync of another description = nil; want EIO")
		}
	})
	p.write(testenv.KeptMark)
	first := p.hold()
	p.write(testenv.KeptMark)
	second := p.sync()
	testenv.WaitFor(t, "the second Sync to wait for the first", func() bool { return p.syncer.Members() == 1 || len(second) == 1 })
	close(p.free)
	p.wantLoss(first)
	p.wantLoss(second)
}

// secondHasReport lets an fsync on the second descriptor report a loss, while an fsync on the first
// runs. The next Sync must fail, although an fsync on the second descriptor would not.
func secondHasReport(t *testing.T, disk *testenv.Lossy) {
	p := newPair(t, disk)
	p.write(testenv.KeptMark)
	if err := p.Sync(); err != nil { // from now on the second descriptor serves
		t.Fatal(err)
	}
	p.write(testenv.KeptMark)
	first := p.hold()
	disk.Lose(func() {
		p.write(testenv.LostMark)
		p.wantLoss(p.sync())
	})
	p.write(testenv.KeptMark)
	third := p.sync()
	p.wantLoss(third)
	close(p.free)
	<-first
}
