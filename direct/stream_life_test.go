package direct_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestWriterOfAClosedScheduler writes to a Writer that has no memory yet.
func TestWriterOfAClosedScheduler(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	w := writer(t, create(t, s, t.TempDir()), direct.WriterOptions{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := w.Write([]byte(testenv.Twenty))
	if err == nil {
		err = w.Flush()
	}
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write = %v; want os.ErrClosed", err)
	}
	if err := w.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close = %v; want os.ErrClosed", err)
	}
}

// TestStreamsOfAClosedFile closes a file with idle streams, whose requests nobody waits for. Close
// must not wait for the streams' next calls.
func TestStreamsOfAClosedFile(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := create(t, s, dir)
		if _, err := f.WriteAt(testenv.Noise(64*testenv.PageSize), 0); err != nil {
			t.Fatal(err)
		}
		r := reader(t, f, direct.ReaderOptions{BufferSize: 64 << 10, ReadAhead: 3})
		c, err := readByte(r)
		if err != nil || c != testenv.Noise(64 * testenv.PageSize)[0] {
			t.Fatalf("Read of a byte = %d, %v", c, err)
		}
		w, err := f.NewWriter(t.Context(), direct.WriterOptions{BufferSize: 64 << 10, WriteBehind: 3})
		if err != nil {
			t.Fatal(err)
		}
		idle, err := f.NewWriter(t.Context(), direct.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Write(make([]byte, 100<<10)); n != 100<<10 || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = readByte(r) // the rest of the buffer
		}
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("Read of a byte = %v; want os.ErrClosed", err)
		}
		if _, err := r.Next(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Next = %v; want os.ErrClosed", err)
		}
		if _, err := r.Seek(0, io.SeekEnd); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Seek = %v; want os.ErrClosed", err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if err := w.Close(); !errors.Is(err, os.ErrClosed) { // 36 KiB are not written
			t.Errorf("Close = %v; want os.ErrClosed", err)
		}
		if err := idle.Close(); err != nil { // it has lost nothing
			t.Errorf("Close = %v", err)
		}
		if _, err := f.NewReader(t.Context(), direct.ReaderOptions{}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("NewReader = %v; want os.ErrClosed", err)
		}
		if _, err := f.NewWriter(t.Context(), direct.WriterOptions{}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("NewWriter = %v; want os.ErrClosed", err)
		}
		if n := s.Stats().BuffersInUse; n != 0 {
			t.Errorf("%d bytes of buffers in use at the end", n)
		}
	})
}

// TestIdleWriter checks that the writes of an idle Writer hold up no other call.
func TestIdleWriter(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := create(t, s, dir)
		w := writer(t, f, direct.WriterOptions{BufferSize: testenv.PageSize, WriteBehind: 4})
		want := testenv.Noise(6*testenv.PageSize + 5)
		for range 2 { // extending the file, and not
			if _, err := w.Write(want[:len(want)/2]); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(want[len(want)/2:]); err != nil {
				t.Fatal(err)
			}
			if n, err := f.WriteAt(want[:100], 0); n != 100 || err != nil { // parts of blocks
				t.Fatal(n, err)
			}
			if err := f.Truncate(20 * testenv.PageSize); err != nil { // the whole file
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(f.Name())
		if err != nil || !bytes.Equal(got[:2*len(want)], append(want[:len(want):len(want)], want...)) {
			t.Errorf("the file has %d bytes (%08x), %v; want %d (%08x)", len(got), testenv.Sum(got), err, 2*len(want), testenv.Sum(want))
		}
	})
}

// TestStreamContext checks that every call returns the error of a context that has ended.
func TestStreamContext(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, _ := testenv.DirectNoise(t, s, 64*testenv.PageSize)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := f.NewReader(ctx, direct.ReaderOptions{BufferSize: testenv.PageSize})
		if err != nil {
			t.Fatal(err)
		}
		w, err := f.NewWriter(ctx, direct.WriterOptions{BufferSize: testenv.PageSize})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 100_000)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 10_000)); err != nil {
			t.Fatal(err)
		}
		cancel()
		_, err1 := r.Next()
		_, err2 := r.Read(make([]byte, 1))
		_, err3 := readByte(r)
		_, err4 := r.WriteTo(io.Discard)
		_, err5 := w.Write([]byte{1})
		for i, err := range []error{err1, err2, err3, err4, err5, w.Flush(), w.Sync(), writeByte(w, 1), w.Close()} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("call %d = %v; want context.Canceled", i, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if n := s.Stats().BuffersInUse; n != 0 {
			t.Errorf("%d bytes of buffers in use at the end", n)
		}
	})
}

// TestStreamsWaitInClose checks that Close frees memory only when the device is done with it,
// whether the context has ended or not.
func TestStreamsWaitInClose(t *testing.T) {
	var reads, writes fault.Gate
	f, _ := faulty(t, 64*testenv.PageSize, func(op *driver.Op) fault.Verdict {
		switch {
		case op.Code == driver.Write:
			return fault.Verdict{Gate: &writes}
		case op.Off > 0:
			return fault.Verdict{Gate: &reads}
		}
		return fault.Verdict{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := f.NewReader(ctx, direct.ReaderOptions{BufferSize: 64 << 10, ReadAhead: 3})
	if err != nil {
		t.Fatal(err)
	}
	w, err := f.NewWriter(ctx, direct.WriterOptions{BufferSize: 64 << 10, WriteBehind: 3})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 10)); n != 10 || err != nil {
		t.Fatalf("Read = %d, %v", n, err)
	}
	if n, err := w.Write(make([]byte, 100<<10)); n != 100<<10 || err != nil {
		t.Fatalf("Write = %d, %v", n, err)
	}
	testenv.WaitFor(t, "the operations", func() bool { return reads.Waiting() && writes.Waiting() })
	cancel()
	var both sync.WaitGroup
	both.Go(func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	both.Go(func() {
		if err := w.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("Close = %v", err)
		}
	})
	testenv.WaitFor(t, "both to be waiting", func() bool {
		return hang.Parked("(*Transfer).await") == 1 && hang.Parked("(*ReadQueue).await") == 1
	})
	if n := f.BuffersInUse(); n < 2*64<<10 {
		t.Errorf("%d bytes of buffers in use while the device has them", n)
	}
	reads.Open()
	writes.Open()
	both.Wait()
	if n := f.BuffersInUse(); n != 0 {
		t.Errorf("%d bytes of buffers in use at the end", n)
	}
}

// TestManyStreams reads and writes many streams in turn. Together they would read ahead more than
// the pool has.
func TestManyStreams(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, _ *sluice.Scheduler) {
		s := testenv.Scheduler(t, sluice.Options{Driver: testenv.DriverOf(t), BufferMemory: 16 << 20})
		f, noise := testenv.DirectNoise(t, s, 2<<20)
		out, err := direct.OpenOn(s, filepath.Join(t.TempDir(), "out"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		const streams = 10
		var readers [streams]*direct.Reader
		var writers [streams]*direct.Writer
		for i := range streams {
			readers[i] = reader(t, f, direct.ReaderOptions{})
			writers[i] = writer(t, out, direct.WriterOptions{Start: int64(i * len(noise))})
		}
		for range len(noise) / (512 << 10) {
			for i := range streams {
				b, err := readers[i].Next()
				if err != nil {
					t.Fatal(err)
				}
				_, err = writers[i].Write(b.Bytes())
				b.Release()
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, w := range writers {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(out.Name()); !bytes.Equal(got, bytes.Repeat(noise, streams)) || err != nil {
			t.Errorf("%d other bytes, %v", len(got), err)
		}
	})
}

// TestForgottenStreams leaves streams to the garbage collector, which frees their memory.
func TestForgottenStreams(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := filepath.Join(t.TempDir(), "file")
		testenv.Write(t, name, string(testenv.Noise(64*testenv.PageSize)))
		for range 5 {
			forgetStreams(t, s, name)
		}
		testenv.WaitFor(t, "the memory", func() bool {
			runtime.GC()
			return s.Stats().BuffersInUse == 0 && directio.Inodes() == 0
		})
	})
}

func forgetStreams(t *testing.T, s *sluice.Scheduler, name string) {
	f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.NewReader(context.Background(), direct.ReaderOptions{BufferSize: testenv.PageSize, ReadAhead: 8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readByte(r); err != nil {
		t.Fatal(err)
	}
	w, err := f.NewWriter(context.Background(), direct.WriterOptions{BufferSize: testenv.PageSize, WriteBehind: 8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 50_000)); err != nil {
		t.Fatal(err)
	}
}

// TestWritersSideBySide lets goroutines write neighbouring parts of one file, with ends within
// blocks, while other goroutines write and read there too. No byte is undone, and no write makes a
// Sync fail.
func TestWritersSideBySide(t *testing.T) {
	start := seed.Of(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := create(t, s, dir)
		const writers, part = 6, 5*testenv.PageSize + 1000
		want := testenv.Noise(writers * part)
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				if err := writeShare(f, rand.New(rand.NewPCG(start, uint64(i))), want[i*part:][:part], int64(i*part)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got, err := os.ReadFile(f.Name()); !bytes.Equal(got, want) || err != nil {
			t.Errorf("the file has %d bytes (%08x), %v; want %d (%08x)", len(got), testenv.Sum(got), err, len(want), testenv.Sum(want))
		}
	})
}

// writeShare writes b at off by streams, and some of it by WriteAt, with Syncs.
func writeShare(f *direct.File, r *rand.Rand, b []byte, off int64) error {
	for len(b) > 0 {
		n := min(len(b), 1+r.IntN(3*testenv.PageSize))
		if r.IntN(4) == 0 {
			if _, err := f.WriteAt(b[:n], off); err != nil {
				return err
			}
		} else if err := writeStream(f, r, b[:n], off); err != nil {
			return err
		}
		got, err := io.ReadAll(io.NewSectionReader(f, off, int64(n)))
		if err != nil || !bytes.Equal(got, b[:n]) {
			return fmt.Errorf("%d bytes at %d: read %d others, %w", n, off, len(got), err)
		}
		b, off = b[n:], off+int64(n)
	}
	return nil
}

func writeStream(f *direct.File, r *rand.Rand, b []byte, off int64) error {
	w, err := f.NewWriter(context.Background(), direct.WriterOptions{BufferSize: testenv.PageSize, WriteBehind: 1 + r.IntN(4), Start: off})
	if err != nil {
		return err
	}
	for len(b) > 0 && err == nil {
		n := min(len(b), 1+r.IntN(6000))
		if _, err = w.Write(b[:n]); err == nil && r.IntN(3) == 0 {
			err = w.Sync()
		}
		b = b[n:]
	}
	return errors.Join(err, w.Close())
}

// TestGrowsInOrder checks that the bytes that a Writer appends have no gap at any time, however
// many buffers are being written.
func TestGrowsInOrder(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := create(t, s, dir)
		want := bytes.Repeat([]byte{'x'}, 8<<20)
		w := writer(t, f, direct.WriterOptions{BufferSize: 128 << 10, WriteBehind: 8})
		written := make(chan error, 1)
		go func() {
			_, err := w.Write(want)
			written <- err
		}()
		for len(written) == 0 {
			size, err := f.Size()
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, size)
			if n, err := f.ReadAt(got, 0); n != len(got) || err != nil || !bytes.Equal(got, want[:size]) {
				t.Errorf("of %d bytes: ReadAt = %d, %v, with %d others", size, n, err, len(got)-bytes.Count(got, []byte{'x'}))
				break
			}
		}
		if err := <-written; err != nil {
			t.Error(err)
		}
	})
}
