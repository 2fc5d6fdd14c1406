package direct_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectBesideReaders lets other descriptors read through the page cache, so that it holds
// pages of all sizes, during direct writes and tails. No Sync may fail, and in the end all
// descriptors read the same bytes.
func TestDirectBesideReaders(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		files := twoDirect(t, s, dir)
		reader, err := os.Open(files[0].Name())
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		var ended atomic.Bool
		var readers, writers sync.WaitGroup
		for g := range uint64(2) {
			readers.Go(func() {
				r := rand.New(rand.NewPCG(start, g))
				for b := make([]byte, 256<<10); !ended.Load(); {
					reader.ReadAt(b[:1+r.IntN(len(b))], r.Int64N(512<<10))
				}
			})
		}
		for g := range uint64(6) {
			writers.Go(func() {
				r := rand.New(rand.NewPCG(start, 10+g))
				b := testenv.AlignedBytes(128 << 10)
				for range *testenv.DiffN / 15 {
					f := files[r.IntN(2)]
					if err := anything(r, f, b); err != nil {
						t.Errorf("%v", err)
					}
				}
			})
		}
		writers.Wait()
		ended.Store(true)
		readers.Wait()
		size, err := files[0].Size()
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, size)
		if n, err := files[0].ReadAt(got, 0); int64(n) != size || err != nil {
			t.Errorf("ReadAt = %d, %v; want %d", n, err, size)
		}
		if want, err := os.ReadFile(files[0].Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the page cache has %d bytes (%08x), %v; the disk %d (%08x)", len(want), testenv.Sum(want), err, len(got), testenv.Sum(got))
		}
	})
}

// anything does something to the file.
func anything(r *rand.Rand, f *direct.File, b []byte) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	switch r.IntN(10) {
	case 0, 1, 2:
		return f.Sync()
	case 3:
		return f.Truncate(r.Int64N(400 << 10))
	case 4, 5, 6: // the tail
		_, err = f.WriteAt(b[:1+r.IntN(6000)], max(0, size-r.Int64N(3000)))
	case 7:
		_, err = f.WriteAt(b[:testenv.PageSize*(1+r.IntN(16))], testenv.PageSize*r.Int64N(64))
	case 8:
		_, err = f.WriteAt(b[r.IntN(512):][:1+r.IntN(30000)], r.Int64N(300<<10))
	case 9:
		_, err = f.ReadAt(b[:1+r.IntN(len(b))], r.Int64N(400<<10))
		if err == io.EOF {
			err = nil
		}
	}
	return err
}
