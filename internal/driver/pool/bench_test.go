package pool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
)

// BenchmarkCached reads 4 KiB from the page cache, in batches: the cost of the pool
// itself, compared with os.File.
func BenchmarkCached(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 4096)
	if _, err := f.Write(buf); err != nil {
		b.Fatal(err)
	}
	b.Run("os.File", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.ReadAt(buf, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, batch := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("Batch%d", batch), func(b *testing.B) { benchBatch(b, f, batch) })
	}
}

func benchBatch(b *testing.B, f *os.File, batch int) {
	p, err := pool.New(pool.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	ops, done := make([]*driver.Op, batch), make([]*driver.Op, batch)
	for i := range ops {
		ops[i] = &driver.Op{Code: driver.Read, FD: int32(f.Fd()), Buf: make([]byte, 4096)}
	}
	b.ReportAllocs()
	for n := 0; n < b.N; n += batch {
		p.Submit(ops)
		if n, err := p.Reap(done, batch); n != batch || err != nil {
			b.Fatal(n, err)
		}
	}
}
