package starved

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	frozenDevices = flag.String("starved.frozen", "1", "how many devices are frozen; several with commas")
	frozenCalls   = flag.Int("starved.frozencalls", 30, "calls of each goroutine while devices are frozen")
	judge         = flag.Bool("starved.judge", false, "fail where a call is later than 50 ms, beyond what the machine is late by itself")
)

// late is the longest delay of a call by frozen devices.
const late = 50 * time.Millisecond

const (
	healthyDevices = 2
	// inKernel is the most calls with a deadline that are in the kernel for one frozen device.
	inKernel = budget.Parallel / 4
	deadline = 20 * time.Millisecond
)

// device is a file system with a file that is open in each way.
type device struct {
	dir       string
	s         *sluice.Scheduler
	buffered  *sluice.File
	unbuffed  *sluice.File // O_DIRECT
	direct    *direct.File
	ofOS      *os.File // package os, O_DIRECT
	frozen    *places.Frozen
	thawed    atomic.Bool
	stillHere atomic.Int64 // goroutines that make calls with a deadline
}

func openDevice(t *testing.T, s *sluice.Scheduler, dir string) *device {
	t.Helper()
	d := &device{dir: dir, s: s}
	// There are two files, because the direct one must have no dirty pages.
	names := []string{filepath.Join(dir, "buffered"), filepath.Join(dir, "direct")}
	var errs []error
	for _, name := range names {
		errs = append(errs, os.WriteFile(name, make([]byte, 64*testenv.PageSize), 0o600))
	}
	var err [4]error
	d.buffered, err[0] = s.OpenFile(names[0], os.O_RDWR, 0)
	d.unbuffed, err[1] = s.OpenFile(names[1], os.O_RDWR|sys.O_DIRECT, 0)
	d.direct, err[2] = direct.OpenOn(s, names[1], os.O_RDWR, 0)
	d.ofOS, err[3] = os.OpenFile(names[1], os.O_RDWR|sys.O_DIRECT, 0)
	if err := errors.Join(append(errs, err[:]...)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.buffered.Close(); d.unbuffed.Close(); d.direct.Close(); d.ofOS.Close() })
	places.SyncFS(t, dir)
	return d
}

// write writes a page in one of the ways.
func (d *device) write(ctx context.Context, way int, b []byte, page int64) error {
	var err error
	off := page * testenv.PageSize
	switch way % 4 {
	case 0:
		_, err = d.buffered.WriteAtContext(ctx, b, off)
	case 1:
		_, err = d.unbuffed.WriteAtContext(ctx, b, off)
	case 2:
		_, err = d.direct.WriteAtContext(ctx, b, off)
	default:
		ops := batch.New(d.s)
		ops.Chain().WriteAt(batch.On(d.unbuffed), b, off)
		err = ops.Do(ctx)
	}
	return err
}

// numbers returns the numbers of a flag.
func numbers(t *testing.T, text string) (all []int) {
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// worst is the longest of several times.
type worst struct{ ns atomic.Int64 }

func (w *worst) add(d time.Duration) {
	for {
		old := w.ns.Load()
		if int64(d) <= old || w.ns.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// nap sleeps for a millisecond, and adds the extra time that it took.
func (w *worst) nap() {
	began := time.Now()
	time.Sleep(time.Millisecond)
	w.add(time.Since(began) - time.Millisecond)
}

func (w *worst) String() string { return fmt.Sprintf("%.1f ms", float64(w.ns.Load())/1e6) }

// TestFrozenLatency measures calls to healthy devices, and calls with deadlines, while other
// devices are frozen. The test requires that they end before the thaw; otherwise it hangs. It only
// judges their times with -starved.judge.
func TestFrozenLatency(t *testing.T) {
	var made atomic.Int64
	defer func() { t.Logf("figure: %d calls", made.Load()) }()
	counts := numbers(t, *frozenDevices)
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	var dirs []string
	for range most + healthyDevices {
		dirs = append(dirs, places.FileSystems["ext4"](t, 16<<20)) // 16 MiB
	}
	for _, driver := range testenv.Drivers {
		for _, n := range counts {
			t.Run(fmt.Sprint(driver, "/", n), func(t *testing.T) {
				made.Add(frozen(t, testenv.Scheduler(t, sluice.Options{Driver: driver}), dirs[:n], dirs[most:]))
			})
		}
	}
}

func frozen(t *testing.T, s *sluice.Scheduler, frozenDirs, healthyDirs []string) (made int64) {
	start := seed.Of(t)
	var ill, well []*device
	for _, dir := range frozenDirs {
		ill = append(ill, openDevice(t, s, dir))
	}
	for _, dir := range healthyDirs {
		well = append(well, openDevice(t, s, dir))
	}
	var calls atomic.Int64
	before := healthy(t, well, start, &calls)
	for _, d := range ill {
		d.frozen = places.Freeze(t, d.dir)
	}
	// Calls without a deadline wait for the thaw. There are more than permits.
	var waiting sync.WaitGroup
	for i := range 12 * len(ill) {
		waiting.Go(func() {
			if err := ill[i%len(ill)].write(context.Background(), i/len(ill), testenv.AlignedBytes(testenv.PageSize), int64(i%64)); err != nil {
				t.Errorf("a write that waits for the thaw = %v", err)
			}
		})
	}
	// All of them where they stay: a thread that submits and then goes on to a frozen device keeps
	// what it has submitted (docs/decisions/0012-tied-threads.md).
	stay := []string{"iopath.MakeCall", "budget.Permit.wait", "rangelock.(*Lock).Acquire"}
	if inside.Scheduler(s).Core.Driver().Name == "aio" { // io_submit waits with them
		stay = append(stay, "(*Request).Wait")
	}
	testenv.WaitFor(t, "writes in the kernel, or that wait for a permit or another write", func() bool {
		n := 0
		for _, f := range stay {
			n += hang.Parked(f)
		}
		return n >= 12*len(ill)
	})
	quiet := healthy(t, well, start, &calls)

	// Calls with a deadline, at the same time.
	var past worst
	var deadlines sync.WaitGroup
	// More than a quarter of the permits, the most in the kernel.
	for i := range 3 * budget.Parallel / 8 * len(ill) {
		d := ill[i%len(ill)]
		d.stillHere.Add(1)
		deadlines.Go(func() {
			defer d.stillHere.Add(-1)
			r := rand.New(rand.NewPCG(start, uint64(i)))
			b := testenv.AlignedBytes(testenv.PageSize)
			for range *frozenCalls {
				if !d.isFrozen() {
					return
				}
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				err := d.write(ctx, r.IntN(4), b, r.Int64N(64))
				end, _ := ctx.Deadline()
				cancel()
				if d.isFrozen() { // otherwise it was in the kernel until the thaw
					past.add(time.Since(end))
					calls.Add(1)
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("a write to a frozen file system = %v; want context.DeadlineExceeded", err)
					}
				}
			}
		})
	}
	var sleep worst
	var over atomic.Bool
	var sleepers sync.WaitGroup
	for range 4 {
		sleepers.Go(func() {
			for !over.Load() {
				sleep.nap()
			}
		})
	}
	busy := healthy(t, well, start+1, &calls)
	testenv.WaitFor(t, "the calls with deadlines", func() bool {
		for _, d := range ill {
			if d.stillHere.Load() > inKernel {
				return false
			}
		}
		return true
	})
	stuck := int64(0)
	for _, d := range ill {
		stuck += d.stillHere.Load()
		d.thaw()
	}
	over.Store(true)
	sleepers.Wait()
	waiting.Wait()
	deadlines.Wait()
	t.Logf("%d frozen: calls to healthy devices took at most %v before, %v with calls that wait, %v with deadlines besides; "+
		"with package os %v, %v, %v; deadlines were passed by at most %v; a sleep by %v; the kernel had %d calls until the thaw",
		len(ill), &before.calls, &quiet.calls, &busy.calls, &before.ofOS, &quiet.ofOS, &busy.ofOS, &past, &sleep, stuck)
	if *judge {
		for what, h := range map[string]*healthTimes{"calls that wait": quiet, "deadlines": busy} {
			noise := max(before.calls.ns.Load(), h.ofOS.ns.Load(), h.sleep.ns.Load())
			if over := time.Duration(h.calls.ns.Load() - noise); over > late {
				t.Errorf("with %s on frozen devices calls to healthy ones take %v more than without; want at most %v", what, over, late)
			}
		}
		if over := time.Duration(past.ns.Load() - sleep.ns.Load()); over > late {
			t.Errorf("calls return %v after their deadlines, beyond what a sleep is late; want at most %v", over, late)
		}
	}
	return calls.Load()
}

func (d *device) isFrozen() bool { return !d.thawed.Load() }

func (d *device) thaw() {
	d.thawed.Store(true)
	d.frozen.Thaw()
}

// healthTimes has the longest times of calls to healthy devices, of package os's same calls beside
// them, and of the extra time of a sleep, which is the machine's own delay.
type healthTimes struct{ calls, ofOS, sleep worst }

// healthy makes calls to healthy devices.
func healthy(t *testing.T, well []*device, start uint64, calls *atomic.Int64) *healthTimes {
	var times healthTimes
	var all sync.WaitGroup
	for i := range 4 * len(well) {
		d := well[i%len(well)]
		all.Go(func() {
			r := rand.New(rand.NewPCG(start, uint64(1000+i)))
			b := testenv.AlignedBytes(testenv.PageSize)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for range *frozenCalls {
				began := time.Now()
				var err error
				switch k := r.IntN(8); k {
				case 0, 1, 2, 3:
					err = d.write(ctx, k, b, r.Int64N(64))
				case 4:
					_, err = d.unbuffed.ReadAt(b, r.Int64N(64)*testenv.PageSize)
				case 5:
					_, err = d.direct.ReadAt(b, r.Int64N(64)*testenv.PageSize)
				case 6:
					_, err = d.buffered.ReadAt(b, r.Int64N(64)*testenv.PageSize)
				default:
					err = d.write(context.Background(), r.IntN(4), b, r.Int64N(64))
				}
				times.calls.add(time.Since(began))
				calls.Add(1)
				if err != nil {
					t.Errorf("a call to a healthy device = %v", err)
				}
				time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
			}
		})
	}
	var over atomic.Bool
	var beside sync.WaitGroup
	for i, d := range well {
		beside.Go(func() {
			r := rand.New(rand.NewPCG(start, uint64(2000+i)))
			b := testenv.AlignedBytes(testenv.PageSize)
			for !over.Load() {
				began := time.Now()
				var err error
				if r.IntN(2) == 0 {
					_, err = d.ofOS.ReadAt(b, r.Int64N(64)*testenv.PageSize)
				} else {
					_, err = d.ofOS.WriteAt(b, r.Int64N(64)*testenv.PageSize)
				}
				times.ofOS.add(time.Since(began))
				if err != nil {
					t.Errorf("package os on a healthy device: %v", err)
				}
				times.sleep.nap()
			}
		})
	}
	all.Wait()
	over.Store(true)
	beside.Wait()
	return &times
}
