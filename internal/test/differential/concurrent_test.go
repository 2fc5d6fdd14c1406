package differential

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDifferentialConcurrent is TestDifferential in several goroutines on one Scheduler, each with
// its own files.
func TestDifferentialConcurrent(t *testing.T) {
	start := seed.Of(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		var all sync.WaitGroup
		for g := range uint64(4) {
			own := filepath.Join(dir, fmt.Sprint(g))
			if err := os.Mkdir(own, 0o700); err != nil {
				t.Fatal(err)
			}
			d := newDiffer(t, s, own)
			all.Go(func() { d.run(t, randomOps(rand.New(rand.NewPCG(start, 1+g)), *testenv.DiffN/4)) })
		}
		all.Wait()
	})
}

// TestDifferentialQueued is TestDifferential with a busy driver, so that direct I/O is queued, also
// at the file's position.
func TestDifferentialQueued(t *testing.T) {
	start := seed.Of(t)
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		d := newDiffer(t, s, dir)
		stop := testenv.KeepBusy(t, testenv.DirectOn(t, s, dir, 64*testenv.PageSize), 4)
		defer stop()
		d.run(t, randomOps(rand.New(rand.NewPCG(start, 0)), *testenv.DiffN))
	})
}

// regionPages is one goroutine's region of the shared file.
const regionPages = 8

// TestDifferentialShared has several goroutines use one handle at once, buffered and direct, each
// in its own region of the file. The results must be as if each were alone.
func TestDifferentialShared(t *testing.T) {
	start := seed.Of(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		for _, flag := range []int{0, sys.O_DIRECT} {
			const goroutines = 16
			probe, err := os.OpenFile(filepath.Join(dir, "probe"), os.O_RDWR|os.O_CREATE|flag, 0o600)
			if err != nil && flag == sys.O_DIRECT {
				continue // no O_DIRECT here: tmpfs before Linux 6.6
			}
			probe.Close()
			sh := newShared(t, s, dir, flag, goroutines*regionPages*testenv.PageSize)
			var all sync.WaitGroup
			for g := range uint64(goroutines) {
				all.Go(func() { sh.run(t, rand.New(rand.NewPCG(start, g)), int64(g)) })
			}
			all.Wait()
			a, err := os.ReadFile(sh.theirs.Name())
			b, err1 := os.ReadFile(sh.ours.Name())
			if err != nil || err1 != nil || string(a) != string(b) {
				t.Errorf("flag %#x: the files differ, %v, %v", flag, err, err1)
			}
		}
	})
}

// shared is one file of os and one of sluice.
type shared struct {
	theirs, ours testenv.FileAPI
	align        int64
}

func newShared(t *testing.T, s *sluice.Scheduler, dir string, flag, size int) *shared {
	sh := &shared{align: 1}
	if flag == sys.O_DIRECT {
		sh.align = testenv.PageSize
	}
	for i, f := range []*testenv.FileAPI{&sh.theirs, &sh.ours} {
		name := filepath.Join(dir, fmt.Sprint("shared", i, flag))
		testenv.Write(t, name, string(make([]byte, size)))
		*f = testenv.Must(t, []testenv.Opener{testenv.OSOpen, testenv.OpenOn(s)}[i], name, os.O_RDWR|flag)
	}
	return sh
}

// run reads and writes region g of both files.
func (sh *shared) run(t *testing.T, r *rand.Rand, g int64) {
	const region = regionPages * testenv.PageSize
	a, b := testenv.AlignedBytes(region), testenv.AlignedBytes(region)
	for range *testenv.DiffN / 10 {
		from := r.Int64N(region) / sh.align * sh.align
		n := r.Int64N(region-from+1) / sh.align * sh.align
		off := g*region + from
		var want, got string
		if r.IntN(2) == 0 {
			want, got = readPart(sh.theirs, a[:n], off), readPart(sh.ours, b[:n], off)
		} else {
			for i := range n {
				a[i] = byte(r.Uint32())
			}
			copy(b[:n], a[:n])
			want, got = writePart(sh.theirs, a[:n], off), writePart(sh.ours, b[:n], off)
		}
		if got != want {
			t.Errorf("%d bytes at %d: %s; want %s", n, off, got, want)
			return
		}
	}
}

func readPart(f testenv.FileAPI, b []byte, off int64) string {
	n, err := f.ReadAt(b, off)
	return fmt.Sprint("ReadAt ", n, testenv.Sum(b), testenv.Describe(err, filepath.Dir(f.Name())))
}

func writePart(f testenv.FileAPI, b []byte, off int64) string {
	n, err := f.WriteAt(b, off)
	return fmt.Sprint("WriteAt ", n, testenv.Describe(err, filepath.Dir(f.Name())))
}
