package frozen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/internal/budget"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// frozenFile is a file that is opened in all ways, on a file system that will be frozen.
type frozenFile struct {
	sched            *sluice.Scheduler
	buffered, direct *sluice.File
	aligned          *direct.File
}

const (
	frozenWriters = 40
)

func openFrozen(t *testing.T, s *sluice.Scheduler, dir string) (f frozenFile) {
	t.Helper()
	f.sched = s
	// There are two files, because the direct one must have no dirty pages.
	names := []string{filepath.Join(dir, "buffered"), filepath.Join(dir, "direct")}
	for _, name := range names {
		if err := os.WriteFile(name, make([]byte, 2*frozenWriters*testenv.PageSize), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var errs [4]error
	f.buffered, errs[0] = s.OpenFile(names[0], os.O_RDWR, 0)
	f.direct, errs[1] = s.OpenFile(names[1], os.O_RDWR|sys.O_DIRECT, 0)
	f.aligned, errs[2] = direct.OpenOn(s, names[1], os.O_RDWR, 0)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.buffered.Close(); f.direct.Close(); f.aligned.Close() })
	return f
}

// frozenWay is a way to write with a context.
type frozenWay struct {
	name  string
	write func(ctx context.Context, f frozenFile, b []byte, off int64) error
}

// frozenLate returns how many writers may be in the kernel for a device: a quarter of its permits.
func frozenLate(driver string) int {
	permits := budget.Parallel
	if driver == "uring" {
		permits = budget.Least
	}
	return max(permits, runtime.GOMAXPROCS(0)) / 4
}

// skip skips a test of this way with a driver. An unaligned write reads first. io_uring completes a
// read on the thread that has submitted it. This thread may be in another operation's write by then
// (docs/decisions/0012-tied-threads.md), so the number of late writers is uncertain.
func (w frozenWay) skip(t *testing.T, driver string) {
	if w.name == "unaligned" && driver == "uring" {
		skip.For(t, skip.Case, "reads by io_uring may be late")
	}
}

var frozenWays = []frozenWay{
	{"buffered", func(ctx context.Context, f frozenFile, b []byte, off int64) error {
		_, err := f.buffered.WriteAtContext(ctx, b, off)
		return err
	}},
	{"direct", func(ctx context.Context, f frozenFile, b []byte, off int64) error {
		_, err := f.direct.WriteAtContext(ctx, b, off)
		return err
	}},
	{"direct.File", func(ctx context.Context, f frozenFile, b []byte, off int64) error {
		_, err := f.aligned.WriteAtContext(ctx, b, off)
		return err
	}},
	{"unaligned", func(ctx context.Context, f frozenFile, b []byte, off int64) error {
		_, err := f.aligned.WriteAtContext(ctx, b[:100], off+7)
		return err
	}},
	{"extending", func(ctx context.Context, f frozenFile, b []byte, off int64) error {
		_, err := f.aligned.WriteAtContext(ctx, b, off+2*frozenWriters*testenv.PageSize)
		return err
	}},
	{"batch", func(ctx context.Context, f frozenFile, b []byte, off int64) error {
		writes := batch.New(f.sched)
		writes.Chain().WriteAt(batch.On(f.buffered), b, off)
		return writes.Do(ctx)
	}},
}

// Hazard: a write to a frozen file system only ends at the thaw, whatever its deadline. Guard: only
// few writes are in the kernel at a time, and the rest can be withdrawn.
func TestFrozenDeadlines(t *testing.T) {
	for _, fs := range []string{"ext4", "xfs"} {
		dir := places.FileSystems[fs](t, 64<<20)
		for _, driver := range testenv.Drivers {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver})
			f := openFrozen(t, s, dir)
			for _, way := range frozenWays {
				t.Run(fs+"/"+driver+"/"+way.name, func(t *testing.T) {
					way.skip(t, driver)
					frozen := places.Freeze(t, dir)
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
					defer cancel()
					ended := make(chan error, frozenWriters)
					for i := range int64(frozenWriters) {
						go func() {
							ended <- way.write(ctx, f, testenv.AlignedBytes(testenv.PageSize), i*testenv.PageSize)
						}()
					}
					// Hangs until the thaw if more are in the kernel.
					for range frozenWriters - frozenLate(driver) {
						if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("a write to a frozen file system = %v; want context.DeadlineExceeded", err)
						}
					}
					frozen.Thaw()
					for range frozenLate(driver) {
						if err := <-ended; err != nil && !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("a write that the kernel had = %v", err)
						}
					}
				})
			}
		}
	}
}

// Hazard: calls to frozen file systems hold all threads, the lock of a ring, or all its room, and
// calls to another device wait with them. Guards: a budget for each device, and under aio a
// submitter for each device.
func TestFrozenOthers(t *testing.T) {
	const most = 8
	var dirs []string
	for range most + 1 {
		dirs = append(dirs, places.FileSystems["ext4"](t, 16<<20))
	}
	for _, driver := range testenv.Drivers {
		for _, frozen := range []int{1, 2, 3, most} {
			t.Run(fmt.Sprintf("%s, %d", driver, frozen), func(t *testing.T) {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				var files []frozenFile
				for _, dir := range append(dirs[:frozen:frozen], dirs[most]) {
					files = append(files, openFrozen(t, s, dir))
				}
				freezeOthers(t, files[:frozen], dirs[:frozen], files[frozen])
			})
		}
	}
}

// freezeOthers freezes the file systems at dirs while goroutines write to the files there. Other,
// on another file system, goes on.
func freezeOthers(t *testing.T, files []frozenFile, dirs []string, other frozenFile) {
	var thaw []*places.Frozen
	for _, dir := range dirs {
		thaw = append(thaw, places.Freeze(t, dir))
	}
	var all sync.WaitGroup
	for i := range 12 * len(files) {
		f, way := files[i%len(files)], frozenWays[i/len(files)%4]
		off := int64(i % frozenWriters * testenv.PageSize)
		all.Go(func() {
			if err := way.write(context.Background(), f, testenv.AlignedBytes(testenv.PageSize), off); err != nil {
				t.Errorf("%s: %v", way.name, err)
			}
		})
	}
	// Wait for all of them: a thread that submits, and then gets stuck in a frozen one, keeps its
	// submitted operations (docs/decisions/0012-tied-threads.md).
	testenv.WaitFor(t, "writers that wait", func() bool { return frozenParked() >= 12*len(files) })
	for range 20 { // hangs until the thaw if frozen calls are in the way
		for name, err := range useOther(t, other) {
			if err != nil {
				t.Errorf("%s of another device: %v", name, err)
			}
		}
	}
	for _, z := range thaw {
		z.Thaw()
	}
	all.Wait()
}

// Hazard: a thread that submits has one kernel thread for direct writes that have to wait, for all
// devices, and a write to a frozen file system holds it. Guard: these writes are only left to the
// kernel while there is one device (iopath.Paths.leftToKernel).
func TestFrozenKernelWorkers(t *testing.T) {
	var dirs []string
	for range 2 {
		dirs = append(dirs, places.FileSystems["ext4"](t, 16<<20))
	}
	s := testenv.SchedulerWith(t, sched.Options{}, sluice.Options{Driver: "uring"})
	f, other := openFrozen(t, s, dirs[0]), openFrozen(t, s, dirs[1])
	write := func(f frozenFile, block int64) {
		// The direct write has to wait because the page cache has its block.
		if _, err := os.ReadFile(f.direct.Name()); err != nil {
			t.Error(err)
		}
		if _, err := f.direct.WriteAt(testenv.AlignedBytes(testenv.PageSize), block*testenv.PageSize); err != nil {
			t.Error(err)
		}
	}
	write(f, 0)
	z := places.Freeze(t, dirs[0])
	var all sync.WaitGroup
	for i := range int64(frozenWriters) {
		all.Go(func() { write(f, i) })
	}
	testenv.WaitFor(t, "writers that wait", func() bool { return frozenParked() >= frozenWriters })
	for i := range int64(frozenWriters) {
		write(other, i) // hangs until the thaw if frozen calls are in the way
	}
	z.Thaw()
	all.Wait()
}

// frozenParked returns how many goroutines are parked where writes to a frozen file system wait.
func frozenParked() (n int) {
	for _, f := range []string{"iopath.MakeCall", "budget.Permit.wait", "(*Request).Wait", "rangelock.(*Lock).Acquire"} {
		n += hang.Parked(f)
	}
	return n
}

// useOther makes all calls on f that may wait.
func useOther(t *testing.T, f frozenFile) map[string]error {
	b := testenv.AlignedBytes(testenv.PageSize)
	did := make(map[string]error)
	for _, way := range frozenWays {
		ctx, cancel := context.WithCancel(t.Context())
		did[way.name+" with a context"] = way.write(ctx, f, b, 0)
		cancel()
		did[way.name] = way.write(context.Background(), f, b, 0)
	}
	_, did["read"] = f.direct.ReadAt(b, testenv.PageSize)
	did["sync"] = f.buffered.Sync()
	did["sync of a direct.File"] = f.aligned.Sync()
	return did
}

// TestFrozenBehindOthers checks that a deadline ends an operation that is queued behind many writes
// without one.
func TestFrozenBehindOthers(t *testing.T) {
	dir := places.FileSystems["ext4"](t, 64<<20)
	for _, driver := range testenv.Drivers {
		for _, way := range frozenWays {
			t.Run(fmt.Sprint(driver, "/", way.name), func(t *testing.T) {
				way.skip(t, driver)
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				f := openFrozen(t, s, dir)
				frozen := places.Freeze(t, dir)
				var all sync.WaitGroup
				for i := range int64(200) { // more than permits or requests
					all.Go(func() {
						way.write(context.Background(), f, testenv.AlignedBytes(testenv.PageSize), i%frozenWriters*testenv.PageSize)
					})
				}
				testenv.WaitFor(t, "writers that wait", func() bool { st := s.Stats(); return st.WaitingThreads+st.InFlight > 0 })
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
				defer cancel()
				ended := make(chan error, frozenWriters)
				for i := range int64(frozenWriters) {
					go func() {
						ended <- way.write(ctx, f, testenv.AlignedBytes(testenv.PageSize), i*testenv.PageSize)
					}()
				}
				for range frozenWriters - frozenLate(driver) {
					<-ended
				}
				frozen.Thaw()
				all.Wait()
				for range frozenLate(driver) {
					<-ended
				}
			})
		}
	}
}
