package direct_test

import (
	"io"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestReaderGoesOnWithWhatItHas checks that a Reader that has read ahead does not wait for memory.
// Another call has taken the memory of the consumed read.
func TestReaderGoesOnWithWhatItHas(t *testing.T) {
	hang.Watch(t)
	const size = 512 << 10
	s := testenv.Scheduler(t, sluice.Options{BufferMemory: 4 * size})
	f, noise := testenv.DirectNoise(t, s, 4*size)
	r, err := f.NewReader(t.Context(), direct.ReaderOptions{BufferSize: size, ReadAhead: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := func(b []byte, off int) {
		t.Helper()
		if _, err := io.ReadFull(r, b); err != nil || string(b) != string(noise[off:off+len(b)]) {
			t.Fatalf("the read at %d: other bytes, or %v", off, err)
		}
	}
	read(make([]byte, 1), 0) // starts two reads
	// ReadBuffer takes two more blocks of memory, and memory comes in powers of two.
	const other = size - 2*testenv.PageSize
	pool := inside.Scheduler(s).Buffers
	for pool.Stats().InUse+size <= 4*size {
		held, err := f.ReadBuffer(t.Context(), 0, other)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Release()
	}
	others := make(chan direct.Buffer)
	go func() {
		b, err := f.ReadBuffer(t.Context(), 0, other)
		if err != nil {
			t.Error(err)
		}
		others <- b
	}()
	hang.Eventually(func() bool { return pool.Stats().Waiting == 1 })
	read(make([]byte, size), 1)
	b := <-others
	b.Release()
}

// TestManyReaders checks that each of many open Readers gets memory if the pool has what
// docs/streams-and-memory.md asks for, however much the first ones have read ahead.
func TestManyReaders(t *testing.T) {
	hang.Watch(t)
	const pool = 8 << 20
	s := testenv.Scheduler(t, sluice.Options{BufferMemory: pool})
	f, noise := testenv.DirectNoise(t, s, 4<<20)
	for _, o := range []direct.ReaderOptions{
		{BufferSize: 4096}, {BufferSize: 4096, ReadAhead: 1000}, {BufferSize: 64 << 10}, {BufferSize: 512 << 10},
	} {
		each := max(2*o.BufferSize, 256<<10)
		var open []*direct.Reader
		for range pool / each {
			r, err := f.NewReader(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, r)
			b := make([]byte, 1)
			if _, err := r.Read(b); err != nil || b[0] != noise[0] {
				t.Fatalf("%+v: Read = %x, %v; want %x", o, b, err, noise[:1])
			}
		}
		for _, r := range open {
			r.Close()
		}
	}
}
