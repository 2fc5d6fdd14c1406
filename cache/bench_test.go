package cache

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// benchSpan is the part of the file that the benchmarks of hits read: 8 MiB.
const benchSpan = 8 << 20

// BenchmarkHit compares 4 KiB reads from the cache with reads by *os.File from the page cache. They
// take turns, over one block and over 8 MiB.
func BenchmarkHit(b *testing.B) {
	_, f, d := newSharded(b, benchSpan/block, benchSpan, 4)
	name := filepath.Join(b.TempDir(), "file")
	if err := os.WriteFile(name, d.data, 0o644); err != nil {
		b.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if _, err := f.ReadAt(make([]byte, benchSpan), 0); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	for _, span := range []struct {
		name string
		mask int64
	}{{"one", 0}, {"8MiB", benchSpan - block}} {
		for _, c := range []struct {
			name string
			do   func(buf []byte, off int64) error
		}{
			{"os", func(buf []byte, off int64) error { _, err := file.ReadAt(buf, off); return err }},
			{"ReadAt", func(buf []byte, off int64) error { _, err := f.ReadAt(buf, off); return err }},
			{"View", func(_ []byte, off int64) error {
				v, err := f.View(ctx, off, block)
				v.Release()
				return err
			}},
			{"copy", func(buf []byte, off int64) error { copy(buf, d.data[off:]); return nil }},
		} {
			b.Run(span.name+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				buf := make([]byte, block)
				x := uint64(1)
				for b.Loop() {
					x = x*0x5851f42d4c957f2d + 1
					if err := c.do(buf, int64(x>>20)&span.mask); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(span.name+"/"+c.name+"-parallel", func(b *testing.B) {
				b.RunParallel(func(pb *testing.PB) {
					buf := make([]byte, block)
					x := rand.Uint64()
					for pb.Next() {
						x = x*0x5851f42d4c957f2d + 1
						if err := c.do(buf, int64(x>>20)&span.mask); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		}
	}
}

// BenchmarkMiss measures a miss with an eviction, on a disk in memory.
func BenchmarkMiss(b *testing.B) {
	_, f, _ := newSharded(b, 64, benchSpan, 1)
	b.ReportAllocs()
	buf := make([]byte, 16)
	off := int64(0)
	for b.Loop() {
		if _, err := f.ReadAt(buf, off); err != nil {
			b.Fatal(err)
		}
		off = (off + block) % benchSpan
	}
}
