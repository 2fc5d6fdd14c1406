package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
)

// counted counts the reads of a file.
type counted struct {
	*direct.File
	reads atomic.Int64
}

func (c *counted) ReadAtContext(ctx context.Context, b []byte, off int64) (int, error) {
	c.reads.Add(1)
	return c.File.ReadAtContext(ctx, b, off)
}

// BenchmarkEdges reads from a disk, at random unaligned offsets. Hardly any block is cached. It
// compares with the direct file, and reports the number of requests a read.
func BenchmarkEdges(b *testing.B) {
	const size, budget = 256 << 20, 4 << 20 // 256 MiB, 4 MiB
	name := filepath.Join(b.TempDir(), "file")
	w, err := direct.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	for off := int64(0); off < size; off += 1 << 20 {
		if _, err := w.WriteAt(make([]byte, 1<<20), off); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{6000, 20000, 100_000, 700_000} {
		for _, goroutines := range []int{1, 8} {
			for _, through := range []string{"direct", "cache"} {
				b.Run(fmt.Sprintf("%d/%d/%s", n, goroutines, through), func(b *testing.B) {
					d, err := direct.Open(name)
					if err != nil {
						b.Fatal(err)
					}
					c, err := cache.New(cache.Options{Bytes: budget})
					if err != nil {
						b.Fatal(err)
					}
					defer c.Close()
					file := &counted{File: d}
					f := c.File(file)
					read := f.ReadAt
					if through == "direct" {
						read = func(b []byte, off int64) (int, error) {
							return file.ReadAtContext(context.Background(), b, off)
						}
					}
					b.SetParallelism(goroutines)
					b.ReportAllocs()
					b.RunParallel(func(pb *testing.PB) {
						buf := make([]byte, n)
						for pb.Next() {
							if _, err := read(buf, rand.Int64N(size-int64(n))|1); err != nil {
								b.Error(err)
							}
						}
					})
					b.ReportMetric(float64(file.reads.Load())/float64(b.N), "requests/op")
				})
			}
		}
	}
}
