package faults

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/aio"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	share = flag.Float64("faults.share", 0.03, "the share of the runs that are made; 1 is all of them. System calls of which there are few have more")
	only  = flag.String("faults.workload", "", "the workload; all if empty")
	fails = flag.String("faults.call", "", "the system call that fails, such as fstat; each in turn if empty")
)

// drivers has the drivers of the Schedulers. The last one queues every operation that is not
// cached. The one before it queues direct operations, whatever the system has.
var drivers = []struct {
	name string
	open func() (driver.Driver, error)
}{
	{"uring", func() (driver.Driver, error) { return uring.New(uring.Options{Depth: 64}) }},
	{"aio", func() (driver.Driver, error) { return aio.New(aio.Options{Depth: 64}) }},
	{"pool", func() (driver.Driver, error) { return onPool(driver.Direct) }},
	{"pool, all queued", func() (driver.Driver, error) { return onPool(0) }},
}

// asynchronous claims to perform operations with all of flags without a thread.
type asynchronous struct {
	driver.Driver
	flags driver.Flags
}

func (a asynchronous) Async(op *driver.Op) bool { return op.Flags&a.flags == a.flags }

func onPool(flags driver.Flags) (driver.Driver, error) {
	p, err := pool.New(pool.Options{Depth: 64})
	return asynchronous{p, flags}, err
}

// troubles returns the errors and the short count, once and for ever.
func troubles() (all []trouble) {
	for _, errno := range []syscall.Errno{
		syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EAGAIN, syscall.EINTR, syscall.ENOMEM, syscall.ECANCELED, 0,
	} {
		all = append(all, trouble{errno, false}, trouble{errno, true})
	}
	return all
}

// Sweep is TestSweep: each operation of each workload fails in each way.
func Sweep(t *testing.T, workloads []Workload) {
	r := rand.New(rand.NewPCG(seed.Of(t), 0))
	dir := places.Disk(t)
	runs := 0
	for _, load := range workloads {
		if *only != "" && *only != load.name {
			continue
		}
		for _, d := range drivers {
			t.Run(load.name+"/"+strings.ReplaceAll(d.name, " ", "_"), func(t *testing.T) {
				drv, err := d.open()
				if err != nil {
					skip.ForDriver(t, d.name, err)
				}
				if err := drv.Close(); err != nil {
					t.Fatal(err)
				}
				// The first Scheduler makes things that stay for good.
				testenv.Scheduler(t, sluice.Options{Driver: strings.Split(d.name, ",")[0]}).Close()
				one := func(what trouble, at int) *world {
					runs++
					drv, err := d.open()
					if err != nil {
						t.Fatal(err)
					}
					return sweepRun(t, dir, load.run, what, at, drv)
				}
				clean := one(trouble{}, never)
				for range cachedRuns {
					if clean.seen > 0 {
						break
					}
					clean = one(trouble{}, never)
				}
				if clean.seen == 0 {
					t.Fatal("no operation that could fail")
				}
				for _, what := range troubles() {
					for at := range clean.seen {
						if t.Failed() {
							return
						}
						if r.Float64() < *share {
							one(what, at)
						}
					}
				}
				t.Logf("%d operations", clean.seen)
			})
		}
	}
	t.Logf("figure: %d runs", runs)
}

// cachedRuns is the number of runs whose reads may all be cached. A read with RWF_NOWAIT starts
// readahead, and on a busy machine the device may be done before the kernel looks for the bytes.
const cachedRuns = 100

// never is the number of an operation that is never reached.
const never = 1 << 30

// sweepRun runs a workload once.
func sweepRun(t *testing.T, dir string, load func(*world), what trouble, at int, drv driver.Driver) *world {
	t.Helper()
	dir, err := os.MkdirTemp(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w := newWorld(t, dir)
	before := testenv.HeldNow(t)
	ended := watch(fmt.Sprintf("%s, %s from operation %d on", t.Name(), what, at))
	w.what, w.at = what, at
	s := w.on(drv)
	load(w)
	w.idle()
	if err := s.Close(); err != nil && !errors.Is(err, what.errno) {
		w.wrong("Close of the Scheduler = %v", err)
	}
	ended()
	w.compare()
	var more []string
	w.settles(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 },
		func() string { return "left behind: " + strings.Join(more, ", ") })
	return w
}
