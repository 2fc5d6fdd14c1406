package lifetime

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	interleavings = flag.Int("lifetime.n", 1500, "interleavings, of all drivers together")
	place         = flag.String("lifetime.place", "disk", "where the files are: memory, disk, or slow, a throttled device")
	driverNames   = flag.String("lifetime.driver", strings.Join(testenv.Drivers, ","), "the drivers")
	users         = flag.Int("lifetime.goroutines", 24, "goroutines that make interleavings at once")
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	perRound  = 1500 // interleavings with one Scheduler
	files     = 16   // files that the library uses
	strangers = 8    // files that only package os opens
	fileSize  = 128 << 10
)

// The throttled device's rates. Most reads wait, because the goroutines ask for more.
const (
	slowReads  = 4000      // a second
	slowWrites = 128 << 20 // 128 MiB a second
)

// TestLifetime makes random interleavings of operations with events that end them.
func TestLifetime(t *testing.T) {
	start := seed.Of(t)
	var dir string
	switch *place {
	case "memory":
		dir = testenv.MemoryDir(t)
	case "disk":
		dir = places.Disk(t)
	case "slow":
		dir = places.Slow(t, slowReads, slowWrites)
	default:
		t.Fatalf("-lifetime.place=%s: there is no such place", *place)
	}
	makeFiles(t, dir)
	drivers := strings.Split(*driverNames, ",")
	var made atomic.Int64
	defer func() { t.Logf("figure: %d interleavings", made.Load()) }()
	for _, driver := range drivers {
		t.Run(driver, func(t *testing.T) {
			// Skips without the driver; makes what stays for good.
			testenv.Scheduler(t, sluice.Options{Driver: driver}).Close()
			before := testenv.HeldNow(t)
			var ends ends
			for n, i := int64(*interleavings/len(drivers)), 0; n > 0 && !t.Failed(); i++ {
				t.Run(fmt.Sprint("round", i), func(t *testing.T) {
					done := round(t, start, dir, driver, min(n, perRound), &ends)
					made.Add(done)
					n -= done
				})
			}
			var more []string
			testenv.WaitOr(func() bool {
				runtime.GC() // closes dropped files
				more = before.More(testenv.HeldNow(t))
				return len(more) == 0
			}, func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
			t.Log(ends.String())
		})
	}
}

func fileName(dir string, i int) string { return filepath.Join(dir, fmt.Sprint("file", i)) }

// makeFiles makes the files, uncached, on the device.
func makeFiles(t *testing.T, dir string) {
	for i := range files + strangers {
		f, err := os.Create(fileName(dir, i))
		if err == nil {
			_, err = f.Write(patterns[i])
		}
		if err = errors.Join(err, f.Sync(), testenv.DropCache(int(f.Fd())), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// checkFiles requires that each file has its pattern.
func checkFiles(t *testing.T, dir string) {
	for i := range files + strangers {
		b, err := os.ReadFile(fileName(dir, i))
		if at := wrong(b, i, 0); err != nil || len(b) != fileSize || at >= 0 {
			t.Errorf("file %d of %d has %d bytes, %v; it is wrong from %d on: % x", i, files, len(b), err, at, b[max(at, 0):][:min(8, len(b))])
		}
	}
}

// ends counts how calls have ended.
type ends struct{ all, queued, context, closed atomic.Int64 }

func (e *ends) String() string {
	return fmt.Sprintf("%d calls, %d requests in the driver; %d calls ended by their contexts, %d by Close",
		e.all.Load(), e.queued.Load(), e.context.Load(), e.closed.Load())
}

// round makes up to n interleavings on one Scheduler, and returns how many it has made.
func round(t *testing.T, start uint64, dir, driver string, n int64, e *ends) int64 {
	hang.Watch(t)
	own := fnv.New64a()
	own.Write([]byte(t.Name()))
	r := rand.New(rand.NewPCG(start, own.Sum64()))
	s, err := sluice.NewScheduler(sluice.Options{
		Driver: driver, Depth: []int{0, 0, 1, 8}[r.IntN(4)], Threads: []int{0, 0, 1, 2}[r.IntN(4)],
	})
	if err != nil {
		t.Fatal(err)
	}
	// The Scheduler of every second round is closed while calls are made.
	closeAt := int64(-1)
	if r.IntN(2) == 0 {
		closeAt = 1 + r.Int64N(n)
	}
	var begun, made atomic.Int64
	var all sync.WaitGroup
	for g := range uint64(*users) {
		u := &user{t: t, s: s, dir: dir, ends: e, r: rand.New(rand.NewPCG(r.Uint64(), g))}
		all.Go(func() {
			for !t.Failed() {
				i := begun.Add(1)
				if i > n {
					break
				}
				if i == closeAt {
					all.Go(func() {
						if err := s.Close(); err != nil {
							t.Errorf("Close of the Scheduler = %v", err)
						}
					})
				}
				if !u.interleave() {
					break
				}
				made.Add(1)
			}
			u.end()
		})
	}
	all.Wait()
	if st := s.Stats(); st.InFlight != 0 || st.BuffersInUse != 0 || st.WaitingThreads != 0 || st.LostRings != 0 {
		t.Errorf("at the end %d operations are in flight, %d bytes of Buffers and %d threads are in use, %d drivers lost; want none",
			st.InFlight, st.BuffersInUse, st.WaitingThreads, st.LostRings)
	}
	e.queued.Add(s.Stats().Queued)
	if err := s.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close of the Scheduler = %v", err)
	}
	checkFiles(t, dir)
	return made.Load()
}
