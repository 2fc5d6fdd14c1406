package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// smallFiles makes n files of size bytes, with different contents, in a directory.
func smallFiles(t testing.TB, dir string, n, size int) (names []string) {
	t.Helper()
	for i := range n {
		name := filepath.Join(dir, fmt.Sprint("small", i))
		if err := os.WriteFile(name, bytes.Repeat([]byte{byte(i)}, size), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// addReads adds a chain for each file, and returns their buffers.
func addReads(b *batch.Batch, names []string, size int) (bufs [][]byte) {
	for _, name := range names {
		buf := make([]byte, size)
		c := b.Chain()
		open := c.Open(name)
		c.ReadAt(open, buf, 0)
		c.Close(open)
		bufs = append(bufs, buf)
	}
	return bufs
}

// TestBatchReadsFiles reads many files, by one Batch after the other and by some at a time.
func TestBatchReadsFiles(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		names := smallFiles(t, dir, 500, 1000)
		before := tempDescriptors(t)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				b := batch.New(s)
				for range 3 {
					b.Reset()
					bufs := addReads(b, names, 1000)
					if err := b.Do(t.Context()); err != nil {
						t.Errorf("Do = %v", err)
					}
					for i, buf := range bufs {
						if !bytes.Equal(buf, bytes.Repeat([]byte{byte(i)}, 1000)) || b.Op(3*i+1).N() != 1000 {
							t.Errorf("%s has %x…, %d bytes", names[i], buf[:8], b.Op(3*i+1).N())
						}
					}
				}
			})
		}
		all.Wait()
		if after := tempDescriptors(t); after > before {
			t.Errorf("%d descriptors are open; there were %d", after, before)
		}
	})
}

// TestBatchShortFiles has missing files, and files shorter than their buffers.
func TestBatchShortFiles(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		names := smallFiles(t, dir, 300, 1000)
		for i := range names {
			if i%3 == 0 {
				names[i] += ".no"
			}
		}
		b := batch.New(s)
		addReads(b, names, 1001)
		before := tempDescriptors(t)
		b.Do(t.Context()) // the errors of each operation are checked below
		for i := range names {
			open, read, end := b.Op(3*i), b.Op(3*i+1), b.Op(3*i+2)
			if i%3 == 0 {
				wantOps(t, []*batch.Op{open, read, end}, batch.Failed, batch.NotBegun, batch.NotBegun)
				continue
			}
			wantOps(t, []*batch.Op{open, read, end}, batch.Done, batch.Failed, batch.NotBegun)
			if read.N() != 1000 {
				t.Errorf("%s: %d bytes; want 1000", names[i], read.N())
			}
		}
		if after := tempDescriptors(t); after > before {
			t.Errorf("%d descriptors are open; there were %d", after, before)
		}
	})
}

// TestBatchCanceled ends the context at every 97th operation. A finished operation has its data, an
// operation that is NotBegun has none, and no file stays open.
func TestBatchCanceled(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		names := smallFiles(t, t.TempDir(), 400, 500)
		before := tempDescriptors(t)
		for at := 0; at < 3*len(names); at += 97 {
			ctx, cancel := context.WithCancel(t.Context())
			b := batch.New(s)
			bufs := addReads(b, names, 500)
			seen := 0
			if at == 0 {
				cancel()
			}
			for range b.Each(ctx) {
				if seen++; seen == at {
					cancel()
				}
			}
			cancel()
			if seen != b.Len() {
				t.Errorf("Each has yielded %d operations; want %d", seen, b.Len())
			}
			for i := range names {
				checkCanceled(t, b, i, bufs[i])
			}
		}
		if after := tempDescriptors(t); after > before {
			t.Errorf("%d descriptors are open; there were %d", after, before)
		}
	})
}

func checkCanceled(t *testing.T, b *batch.Batch, i int, buf []byte) {
	t.Helper()
	switch read := b.Op(3*i + 1); {
	case read.State() == batch.Done && bytes.Equal(buf, bytes.Repeat([]byte{byte(i)}, len(buf))):
	case read.State() == batch.NotBegun && errors.Is(read.Err(), batch.ErrNotBegun) &&
		!errors.Is(read.Err(), batch.ErrChainBroken) && bytes.Equal(buf, make([]byte, len(buf))):
	case read.State() == batch.NotBegun && errors.Is(read.Err(), batch.ErrChainBroken) && b.Op(3*i).State() == batch.Failed:
	case read.State() == batch.Failed && errors.Is(read.Err(), context.Canceled) && read.N() > 0:
		// A part was read when the context ended.
	default:
		t.Errorf("the read of chain %d is %v, %v, and has %x…", i, read.State(), read.Err(), buf[:4])
	}
}
