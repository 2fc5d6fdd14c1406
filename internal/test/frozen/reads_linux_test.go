package frozen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// frozenChanges are operations without a context that wait for the thaw, by kind.
var frozenChanges = map[string]func(f frozenFile, i int64) error{
	"direct writes": func(f frozenFile, i int64) error {
		b := testenv.AlignedBytes(testenv.PageSize)
		_, err := f.direct.WriteAt(b, i%frozenWriters*testenv.PageSize)
		return err
	},
	"direct writes at the end": func(f frozenFile, i int64) error {
		b := testenv.AlignedBytes(testenv.PageSize)
		_, err := f.direct.WriteAt(b, (2*frozenWriters+i)*testenv.PageSize)
		return err
	},
	"buffered writes": func(f frozenFile, i int64) error {
		_, err := f.buffered.WriteAt(make([]byte, testenv.PageSize), i%frozenWriters*testenv.PageSize)
		return err
	},
	"allocations": func(f frozenFile, i int64) error {
		return f.buffered.Allocate(i*testenv.PageSize, testenv.PageSize)
	},
	"truncations": func(f frozenFile, _ int64) error {
		return f.direct.Truncate((2 * frozenWriters) * testenv.PageSize)
	},
	"batches of writes": func(f frozenFile, i int64) error {
		b := batch.New(f.sched)
		off := i % frozenWriters * testenv.PageSize
		b.Chain().WriteAt(batch.On(f.direct), testenv.AlignedBytes(testenv.PageSize), off)
		b.Chain().WriteAt(batch.On(f.buffered), make([]byte, testenv.PageSize), off)
		return b.Do(context.Background())
	},
}

// frozenReads are the operations that a frozen file system answers.
var frozenReads = map[string]func(f frozenFile, cold *sluice.File, off int64) error{
	"direct read": func(f frozenFile, _ *sluice.File, off int64) error {
		_, err := f.direct.ReadAt(testenv.AlignedBytes(testenv.PageSize), off)
		return err
	},
	"direct read with a context": func(f frozenFile, _ *sluice.File, off int64) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, err := f.direct.ReadAtContext(ctx, testenv.AlignedBytes(testenv.PageSize), off)
		return err
	},
	"cached read": func(f frozenFile, _ *sluice.File, off int64) error {
		_, err := f.buffered.ReadAt(make([]byte, testenv.PageSize), off)
		return err
	},
	"cold read": func(_ frozenFile, cold *sluice.File, off int64) error {
		_, err := cold.ReadAt(make([]byte, testenv.PageSize), off)
		return err
	},
	"cold read at the position": func(_ frozenFile, cold *sluice.File, _ int64) error {
		_, err := cold.Read(make([]byte, testenv.PageSize))
		return err
	},
	"seek to data": func(_ frozenFile, cold *sluice.File, off int64) error {
		_, err := cold.Seek(off, unix.SEEK_DATA)
		return err
	},
	"advice": func(_ frozenFile, cold *sluice.File, off int64) error {
		return cold.Advise(off, testenv.PageSize, sluice.AdviceWillNeed)
	},
	"prefetch": func(_ frozenFile, cold *sluice.File, off int64) error {
		return cold.Prefetch(off, testenv.PageSize)
	},
	"sync": func(f frozenFile, _ *sluice.File, _ int64) error { return f.buffered.Sync() },
	"batch": func(f frozenFile, cold *sluice.File, off int64) error {
		b := batch.New(f.sched)
		b.Chain().ReadAt(batch.On(cold), make([]byte, testenv.PageSize), off)
		b.Chain().ReadAt(batch.On(f.direct), testenv.AlignedBytes(testenv.PageSize), off)
		b.Chain().Stat(cold.Name())
		return b.Do(context.Background())
	},
	"ReadMany": func(f frozenFile, _ *sluice.File, off int64) error {
		ranges := slices.Values([]direct.Range{{Off: off, Len: 10}, {Off: off + 1<<15, Len: 10}})
		o := direct.ReadManyOptions{}
		for r, err := range f.aligned.ReadMany(context.Background(), ranges, o) {
			if err != nil {
				return err
			}
			r.Buffer.Release()
		}
		return nil
	},
	"large cold read": func(_ frozenFile, cold *sluice.File, off int64) error {
		_, err := cold.ReadAt(make([]byte, 64<<10), off)
		return err
	},
}

// openCold opens an uncached file.
func openCold(t *testing.T, s *sluice.Scheduler, dir string) *sluice.File {
	t.Helper()
	name := filepath.Join(dir, "cold")
	err := os.WriteFile(name, make([]byte, coldSize), 0o600)
	f, openErr := s.OpenFile(name, os.O_RDWR, 0)
	if err := errors.Join(err, openErr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := errors.Join(f.Sync(), testenv.DropCache(int(f.Fd()))); err != nil {
		t.Fatal(err)
	}
	return f
}

const coldSize = 1 << 20

// Hazard: operations that wait for the thaw take all the room of a ring, or all permits. Operations
// that a frozen file system answers wait behind them. Guards: each kind of operation leaves room
// and permits to the other kinds.
func TestFrozenAnswersReads(t *testing.T) {
	elsewhere := t.TempDir()
	for _, fs := range []string{"ext4", "xfs"} {
		dir := places.FileSystems[fs](t, 128<<20)
		for _, driver := range testenv.Drivers {
			for kind, change := range frozenChanges {
				for _, n := range []int{1, 8, 128, 1024} {
					t.Run(fmt.Sprint(fs, "/", driver, "/", kind, "/", n), func(t *testing.T) {
						s := testenv.Scheduler(t, sluice.Options{Driver: driver})
						f, other := openReads(t, s, dir), openReads(t, s, elsewhere)
						wantAnswers(t, dir, n, f, other, change, func() int { return waiting(s) })
					})
				}
			}
		}
	}
}

// Hazard: with a class, direct writes that wait for the thaw take all of the cap, and reads wait
// for tickets. Guard: one read may always be in flight.
func TestFrozenAnswersReadsWithClasses(t *testing.T) {
	dir, elsewhere := places.FileSystems["ext4"](t, 128<<20), t.TempDir()
	for _, driver := range testenv.Drivers {
		for _, kind := range []string{"direct writes", "direct writes at the end", "buffered writes"} {
			for _, n := range []int{8, 256} {
				t.Run(fmt.Sprint(driver, "/", kind, "/", n), func(t *testing.T) {
					s := testenv.Scheduler(t, sluice.Options{Driver: driver})
					testenv.Class(t, s, "other", sluice.ClassOptions{})
					f, other := openReads(t, s, dir), openReads(t, s, elsewhere)
					change := frozenChanges[kind]
					wantAnswers(t, dir, n, f, other, change, func() int {
						st := s.Classes()[0].Stats()
						return st.Waiting + st.InFlight
					})
				})
			}
		}
	}
}

// settled is how often in a row all counts must be the same to count as final.
const settled = 50

// wantAnswers requires that f, and a file of another device, can be read while n changes of f wait
// for the thaw of dir.
func wantAnswers(
	t *testing.T, dir string, n int, f, other readFile,
	change func(f frozenFile, i int64) error, waiting func() int,
) {
	frozen := places.Freeze(t, dir)
	var all sync.WaitGroup
	for i := range int64(n) {
		all.Go(func() {
			if err := change(f.frozenFile, i); err != nil {
				t.Error(err)
			}
		})
	}
	// Wait until all of them are stuck. A thread that has submitted reads, and then gets stuck in
	// the frozen file system with a write that the ring refused, keeps these reads
	// (docs/decisions/0012-tied-threads.md).
	same, before := 0, [2]int{}
	testenv.WaitFor(t, "changes that wait", func() bool {
		now := [2]int{waiting(), f.sched.Stats().InFlight}
		if same++; now != before {
			same, before = 0, now
		}
		return now[0] >= n && same >= settled
	})
	f.readAll(t) // hangs until the thaw if the changes are in the way
	other.readAll(t)
	frozen.Thaw()
	all.Wait()
}

// readFile is a frozenFile with a second, uncached file.
type readFile struct {
	frozenFile
	cold *sluice.File
}

func openReads(t *testing.T, s *sluice.Scheduler, dir string) readFile {
	return readFile{openFrozen(t, s, dir), openCold(t, s, dir)}
}

// readAll reads in all ways, several times.
func (f readFile) readAll(t *testing.T) {
	for name, read := range frozenReads {
		for i := range int64(4) {
			if err := read(f.frozenFile, f.cold, i*64<<10); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// waiting returns how many operations of s are queued, or have or wait for a permit.
func waiting(s *sluice.Scheduler) int {
	core := testenv.CoreOf(s)
	permits, n := core.Devices().InUse()
	n += permits
	for _, d := range core.Devices().All() {
		n += int(d.Queued.Load())
	}
	return n
}
