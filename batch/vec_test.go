package batch_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// cut cuts b into buffers of random lengths, some of them empty.
func cut(r *rand.Rand, b []byte) (bufs [][]byte) {
	for len(b) > 0 {
		n := min(r.IntN(40), len(b))
		bufs, b = append(bufs, b[:n:n]), b[n:]
	}
	return append(bufs, nil)
}

// TestBatchVec writes and reads several hundred buffers as one operation, of a File and of a
// chain's private file, also across the end.
func TestBatchVec(t *testing.T) {
	start := seed.Of(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		r := rand.New(rand.NewPCG(start, 2))
		data, name := make([]byte, 10_000), filepath.Join(dir, "vec")
		for i := range data {
			data[i] = testenv.Pattern(int64(i))
		}
		f, err := s.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b := batch.New(s)
		c := b.Chain()
		open := c.OpenFile(name, os.O_RDWR, 0)
		c.WriteVec(open, cut(r, data[:5000]), 0)
		c.WriteVec(batch.On(f), cut(r, data[5000:]), 5000)
		own, file := make([]byte, 10_000), make([]byte, 10_000)
		c.ReadVec(open, cut(r, own), 0)
		c.ReadVec(batch.On(f), cut(r, file), 0)
		c.Close(open)
		if err := b.Do(t.Context()); err != nil {
			t.Errorf("Do = %v", err)
		}
		if !bytes.Equal(own, data) || !bytes.Equal(file, data) {
			t.Error("what was read is not what was written")
		}
		b.Reset()
		c = b.Chain()
		open = c.Open(name)
		ends := []*batch.Op{c.ReadVec(open, cut(r, make([]byte, 300)), 9900)}
		c.Close(open)
		ends = append(ends, b.Chain().ReadVec(batch.On(f), cut(r, make([]byte, 300)), 9900))
		if err := b.Do(t.Context()); err != io.EOF {
			t.Errorf("Do = %v; want io.EOF", err)
		}
		for _, op := range ends {
			if op.N() != 100 || op.Err() != io.EOF {
				t.Errorf("ReadVec across the end = %d, %v; want 100, io.EOF", op.N(), op.Err())
			}
		}
	})
}

// TestBatchVecCalls checks that several buffers are one system call.
func TestBatchVecCalls(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		skip.For(t, skip.Platform, "elsewhere each buffer is a call")
	}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		// memory has no RWF_NOWAIT
		for _, dir := range []string{places.Disk(t), testenv.MemoryDir(t)} {
			f, err := s.OpenFile(filepath.Join(dir, "vec"), os.O_RDWR|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			bufs := make([][]byte, 50)
			for i := range bufs {
				bufs[i] = make([]byte, 100)
			}
			before := s.Stats()
			b := batch.New(s)
			c := b.Chain()
			write := c.WriteVec(batch.On(f), bufs, 0)
			read := c.ReadVec(batch.On(f), bufs, 0)
			if err := b.Do(context.Background()); err != nil || write.N() != 5000 || read.N() != 5000 {
				t.Errorf("Do = %v with %d bytes written and %d read; want 5000", err, write.N(), read.N())
			}
			st := s.Stats()
			if blocking, cached, queued := st.Plain-before.Plain, st.Cached-before.Cached, st.Queued-before.Queued; blocking+cached+queued != 2 {
				t.Errorf("in %s %d plain calls, %d of the page cache, %d queued; want 2 in all", dir, blocking, cached, queued)
			}
		}
	})
}
