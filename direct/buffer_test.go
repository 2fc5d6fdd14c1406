package direct_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestReadBuffer reads at random places, also at the end of the file.
func TestReadBuffer(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		const size = 1<<20 + 777 // the end is within a block
		f, noise := testenv.DirectNoise(t, s, size)
		r := seed.Rand(t)
		for i := range 300 {
			off, n := r.Int64N(size+9000), r.IntN(1<<r.IntN(19)+1)
			if i%3 == 0 {
				off, n = off&^4095, n&^4095+4096
			}
			want := noise[min(off, size):min(off+int64(n), size)]
			b, err := f.ReadBuffer(t.Context(), off, n)
			switch {
			case n > 0 && len(want) == 0:
				if err != io.EOF || b.Len() != 0 {
					t.Fatalf("ReadBuffer(%d, %d) = %d bytes, %v; want none, io.EOF", off, n, b.Len(), err)
				}
			case err != nil || !bytes.Equal(b.Bytes(), want):
				t.Fatalf("ReadBuffer(%d, %d) = %d bytes, %v; want the %d of the file", off, n, b.Len(), err, len(want))
			}
			b.Release()
		}
		if st := s.Stats(); st.BuffersInUse != 0 || st.BuffersPeak == 0 {
			t.Errorf("%d bytes of buffers in use at the end, %d at most; want 0, more", st.BuffersInUse, st.BuffersPeak)
		}
	})
}

// TestReadBufferErrors checks each error of ReadBuffer, and that none keeps memory.
func TestReadBufferErrors(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{BufferMemory: 4 << 20})
	f, _ := testenv.DirectNoise(t, s, 8192)
	closed, _ := testenv.DirectNoise(t, s, 8192)
	closed.Close()
	ended, cancel := context.WithCancel(t.Context())
	held, err := f.ReadBuffer(t.Context(), 0, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	more, err := f.ReadBuffer(t.Context(), 0, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	zero := new(direct.File)
	for name, c := range map[string]struct {
		f   *direct.File
		ctx context.Context
		off int64
		n   int
		is  error
	}{
		"NegativeOffset": {f, t.Context(), -1, 1, nil},
		"NegativeLength": {f, t.Context(), 0, -1, nil},
		"BeyondTheLimit": {f, t.Context(), 0, 1 << 30, nil},
		"Largest":        {f, t.Context(), 0, math.MaxInt, nil},
		"Closed":         {closed, t.Context(), 0, 1, fs.ErrClosed},
		"NoMemoryInTime": {f, ended, 0, 4096, context.Canceled},
		"NoFile":         {nil, t.Context(), 0, 1, os.ErrInvalid},
		"ZeroFile":       {zero, t.Context(), 0, 1, os.ErrInvalid},
	} {
		b, err := c.f.ReadBuffer(c.ctx, c.off, c.n)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || b.Len() != 0 || b.Bytes() != nil {
			t.Errorf("%s: ReadBuffer = %d bytes, %v; want none, an error (%v)", name, b.Len(), err, c.is)
		}
		if _, ok := errors.AsType[*fs.PathError](err); !ok && c.f != nil && c.f != zero {
			t.Errorf("%s: %T %v; want a *fs.PathError", name, err, err)
		}
		if c.n > 1<<20 && !strings.Contains(err.Error(), "more than the pool's limit") {
			t.Errorf("%s: %v; want an error about the pool's limit", name, err)
		}
	}
	held.Release()
	more.Release()
	for _, off := range []int64{8192, 8193, math.MaxInt64 - 4096} {
		if b, err := f.ReadBuffer(t.Context(), off, 4096); err != io.EOF || b.Bytes() != nil {
			t.Errorf("ReadBuffer at %d = %d bytes, %v; want none, io.EOF", off, b.Len(), err)
		}
	}
	for _, off := range []int64{math.MaxInt64 - 4095, math.MaxInt64} {
		if b, err := f.ReadBuffer(t.Context(), off, 4096); !errors.Is(err, syscall.EINVAL) || b.Bytes() != nil {
			t.Errorf("ReadBuffer at %d = %d bytes, %v; want none, EINVAL", off, b.Len(), err)
		}
	}
	for _, off := range []int64{0, 8193, math.MaxInt64} {
		if b, err := f.ReadBuffer(t.Context(), off, 0); err != nil || b.Bytes() != nil {
			t.Errorf("ReadBuffer of nothing at %d = %d bytes, %v; want none, nil", off, b.Len(), err)
		}
	}
	if st := s.Stats(); st.BuffersInUse != 0 {
		t.Errorf("%d bytes of buffers in use at the end", st.BuffersInUse)
	}
}

// TestBufferOutlivesTheFile checks that a Buffer keeps its bytes until it is released.
func TestBufferOutlivesTheFile(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, noise := testenv.DirectNoise(t, s, 10000)
	b, err := f.ReadBuffer(t.Context(), 5, 9000)
	if err != nil {
		t.Fatal(err)
	}
	again := b.Retain()
	b.Release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), noise[5:9005]) {
		t.Error("the bytes are not those of the file")
	}
	again.Release()
}

func TestReadBufferAllocatesNothing(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector allocates")
	}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, _ := testenv.DirectNoise(t, s, 1<<20)
		allocs.None(t, "ReadBuffer", func() error {
			b, err := f.ReadBuffer(context.Background(), 64<<10, 4096)
			b.Release()
			return err
		})
	})
}
