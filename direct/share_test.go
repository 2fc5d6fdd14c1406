package direct_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// twoDirect opens a new file twice. The two Files find their shared state by the file's identity.
func twoDirect(t *testing.T, s *sluice.Scheduler, dir string) (files [2]*direct.File) {
	t.Helper()
	name := filepath.Join(dir, "shared")
	os.Remove(name)
	for i := range files {
		f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	return files
}

// TestDirectNeighbours lets each goroutine write and read its own bytes of shared blocks, through
// two Files. The file is synced, gets holes, grows and shrinks at the same time. No write may undo
// another, and no fsync may fail.
func TestDirectNeighbours(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		const goroutines, stripe, rows = 12, 61, 40
		files := twoDirect(t, s, dir)
		want := make([][]byte, goroutines)
		var writers, others sync.WaitGroup
		var ended atomic.Bool
		for g := range goroutines {
			want[g] = make([]byte, rows*stripe)
			writers.Go(func() {
				r := rand.New(rand.NewPCG(start, uint64(g)))
				for range *testenv.DiffN / 10 {
					row := r.IntN(rows)
					own := want[g][row*stripe:][:stripe]
					off := int64((row*goroutines + g) * stripe)
					for i := range own {
						own[i] = byte(r.Uint32())
					}
					if n, err := files[r.IntN(2)].WriteAt(own, off); n != stripe || err != nil {
						t.Errorf("WriteAt = %d, %v", n, err)
					}
					got := make([]byte, stripe)
					if n, err := files[r.IntN(2)].ReadAt(got, off); n != stripe || err != nil || !bytes.Equal(got, own) {
						t.Errorf("ReadAt at %d = %d, %v, %x; want %x", off, n, err, got, own)
					}
				}
			})
		}
		const behind = 64 << 10 // 64 KiB: behind all stripes
		others.Go(func() {
			r := rand.New(rand.NewPCG(start, goroutines))
			for !ended.Load() {
				if err := disturb(r, files[r.IntN(2)], behind); err != nil {
					t.Error(err)
				}
			}
		})
		writers.Wait()
		ended.Store(true)
		others.Wait()
		for g := range goroutines {
			for row := range rows {
				got := make([]byte, stripe)
				own := want[g][row*stripe:][:stripe]
				// A stripe that was never written may be behind the end.
				files[0].ReadAt(got, int64((row*goroutines+g)*stripe))
				if !bytes.Equal(got, own) {
					t.Errorf("goroutine %d, row %d: other bytes", g, row)
				}
			}
		}
	})
}

// disturb changes the file without touching the bytes before off.
func disturb(r *rand.Rand, f *direct.File, off int64) error {
	switch r.IntN(5) {
	case 0, 1:
		return f.Sync()
	case 2:
		return f.Truncate(off + r.Int64N(3*testenv.PageSize))
	case 3:
		_, err := f.WriteAt(testenv.AlignedBytes(testenv.PageSize*r.IntN(4)), off+testenv.PageSize*r.Int64N(4))
		return err
	}
	if err := f.PunchHole(off+r.Int64N(testenv.PageSize), 1+r.Int64N(3*testenv.PageSize)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// TestDirectAppend lets each goroutine write the next piece of a file, of any length, while another
// process watches the size. It never exceeds the bytes that were passed to writes, and finished
// writes are there.
func TestDirectAppend(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		files := twoDirect(t, s, dir)
		stop := watchSize(t, files[0].Name())
		promise := newPromise(t, files[0].Name())
		var mu sync.Mutex
		size := int64(0)
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(start, uint64(g)))
				b := testenv.AlignedBytes(12 * testenv.PageSize)
				for range *testenv.DiffN / 30 {
					n := 1 + r.IntN(300)
					if r.IntN(2) == 0 {
						n = 1 + r.IntN(10*testenv.PageSize)
					}
					mu.Lock()
					off := size
					size += int64(n)
					promise(size)
					mu.Unlock()
					own := b[r.IntN(2)*r.IntN(testenv.PageSize):][:n]
					for i := range own {
						own[i] = testenv.Pattern(off + int64(i))
					}
					if got, err := files[r.IntN(2)].WriteAt(own, off); got != n || err != nil {
						t.Errorf("WriteAt = %d, %v; want %d, nil", got, err, n)
					}
					if r.IntN(8) == 0 {
						if err := files[r.IntN(2)].Sync(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		all.Wait()
		stop()
		b, err := os.ReadFile(files[0].Name())
		if err != nil || int64(len(b)) != size {
			t.Fatalf("%d bytes, %v; want %d", len(b), err, size)
		}
		for i := range b {
			if b[i] != testenv.Pattern(int64(i)) {
				t.Fatalf("byte %d of %d is %#x; want %#x", i, len(b), b[i], testenv.Pattern(int64(i)))
			}
		}
	})
}

func promiseOf(name string) string { return fmt.Sprint(name, ".promise") }
