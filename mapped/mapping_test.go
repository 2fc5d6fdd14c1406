//go:build unix

package mapped_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/mapped"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const page = testenv.PageSize

// file makes a file of noise in dir and opens it on s.
func file(t *testing.T, s *sluice.Scheduler, dir string, size int) (*sluice.File, []byte) {
	t.Helper()
	name, text := filepath.Join(dir, "file"), testenv.Noise(size)
	// It is synced, so that the page cache can drop it. s does not write it: tests count its
	// operations.
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(text)
	if err := errors.Join(err, w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, text
}

// mapFile maps a part of f.
func mapFile(t *testing.T, f *sluice.File, off, n int64) *mapped.Mapping {
	t.Helper()
	m, err := mapped.Map(f, off, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// dropCache asks the page cache to drop f.
func dropCache(t *testing.T, f *sluice.File) {
	t.Helper()
	if err := testenv.DropCache(int(f.Fd())); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal(err)
	}
}

// TestLoad checks that ranges of all kinds have the file's bytes, resident or not, and whether m
// asks the kernel or reads the pages.
func TestLoad(t *testing.T) {
	const size = 300*page + 123
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, text := file(t, s, dir, size)
		for _, part := range []struct{ off, n int64 }{{0, 0}, {0, 1}, {100, 0}, {3*page + 7, 200 * page}, {size - 1, 1}} {
			m := mapFile(t, f, part.off, part.n)
			m.OutlastTest() // or it may forget between a Load and Knows
			if part.off == 100 {
				m.MustNotAsk()
			}
			want := text[part.off:]
			if part.n > 0 {
				want = want[:part.n]
			}
			if !bytes.Equal(m.Bytes(), want) {
				t.Fatalf("%d bytes at %d: %d are mapped, or they differ; want %d", part.n, part.off, len(m.Bytes()), len(want))
			}
			rng := rand.New(rand.NewPCG(uint64(part.off), 1))
			for i := range 200 {
				if i%50 == 0 {
					dropCache(t, f)
					m.Forget()
				}
				off := rng.Int64N(int64(len(m.Bytes())))
				n := rng.Int64N(min(int64(len(m.Bytes()))-off+1, 1<<rng.IntN(20)))
				b, err := m.Load(off, n)
				if err != nil || !bytes.Equal(b, want[off:off+n]) {
					t.Fatalf("Load(%d, %d) of %d at %d = %d bytes, %v; want the file's", off, n, part.n, part.off, len(b), err)
				}
				if n > 0 && (!m.Knows(off) || !m.Knows(off+n-1)) {
					t.Fatalf("Load(%d, %d) is not remembered", off, n)
				}
			}
			if err := m.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		}
	})
}

// TestLoadWaitsInTheScheduler checks that a Load of missing pages waits as a read does, without a
// thread of the program.
func TestLoadWaitsInTheScheduler(t *testing.T) {
	hang.Watch(t)
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		f, text := file(t, s, places.Disk(t), 4096*page)
		m := mapFile(t, f, 0, 0)
		dropCache(t, f)
		const n = 8
		var all sync.WaitGroup
		for i := range int64(n) {
			all.Go(func() {
				off := i * 512 * page
				if b, err := m.Load(off, 10); err != nil || !bytes.Equal(b, text[off:off+10]) {
					t.Errorf("Load(%d) = %q, %v", off, b, err)
				}
			})
		}
		d.Wait(t, s, n-2) // two may be plain calls
		d.Release(t)
		all.Wait()
	})
}

// TestCloseWaits checks that Close waits for a Load that the device has not answered, and that a
// context ends a Load.
func TestCloseWaits(t *testing.T) {
	hang.Watch(t)
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		f, _ := file(t, s, places.Disk(t), 512*page)
		m := mapFile(t, f, 0, 0)
		dropCache(t, f)
		ctx, cancel := context.WithCancel(t.Context()) // so that no read is a plain call
		defer cancel()
		loaded := make(chan error, 1)
		go func() {
			_, err := m.LoadUntil(ctx, 256*page, 1)
			loaded <- err
		}()
		d.Wait(t, s, 1)
		closed := make(chan error, 1)
		go func() { closed <- m.Close() }()
		testenv.WaitFor(t, "Close to begin", func() bool {
			_, err := m.Load(0, 0) // needs no device
			return errors.Is(err, os.ErrClosed)
		})
		select {
		case err := <-closed:
			t.Errorf("Close = %v while a Load is in progress", err)
		default:
		}
		d.Release(t)
		if err := <-loaded; err != nil {
			t.Errorf("Load beside Close = %v", err)
		}
		if err := <-closed; err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}

// TestRemembers checks that m does not look for a resident page again, until it forgets.
func TestRemembers(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, _ := file(t, s, t.TempDir(), 64*page)
	m := mapFile(t, f, 0, 0)
	m.OutlastTest()
	operations := func(do func()) int64 {
		before := s.Stats()
		do()
		now := s.Stats()
		return now.Cached + now.Plain + now.Queued - before.Cached - before.Plain - before.Queued
	}
	load := func() {
		if _, err := m.Load(5*page, 100); err != nil {
			t.Error(err)
		}
	}
	load()
	if n := operations(load); n > 0 {
		t.Errorf("a Load of a page that is known to be resident makes %d operations; want 0", n)
	}
	if n := operations(func() { m.Forget(); load() }); n == 0 {
		t.Error("a Load after Forget reads nothing")
	}
	if n := testing.AllocsPerRun(100, load); n > 0 && !sys.RaceEnabled {
		t.Errorf("Load allocates %v times", n)
	}
}

// TestAsksTheKernel checks that one question shows that many pages are still resident. None of them
// is read.
func TestAsksTheKernel(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, _ := file(t, s, t.TempDir(), 64*page)
	m := mapFile(t, f, 0, 0)
	if !m.MayAsk() {
		skip.For(t, skip.Platform, "the kernel does not tell which pages are resident")
	}
	m.OutlastTest()
	if _, err := m.Load(0, int64(len(m.Bytes()))); err != nil {
		t.Fatal(err)
	}
	read := func() int64 { return s.Stats().BytesRead }
	m.Forget()
	before := read()
	if _, err := m.Load(0, int64(len(m.Bytes()))); err != nil {
		t.Fatal(err)
	}
	// The kernel may have reclaimed a few pages since.
	if n := read() - before; n > 8 {
		t.Errorf("a Load of 64 pages that are resident reads a byte of %d of them; want none", n)
	}
}

// TestForgets checks that the timer ends a generation.
func TestForgets(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, _ := file(t, s, t.TempDir(), page)
	m := mapFile(t, f, 0, 0)
	if _, err := m.Load(0, 1); err != nil {
		t.Fatal(err)
	}
	testenv.WaitFor(t, "the timer", func() bool { return !m.Knows(0) })
}

// TestTruncated checks that bytes that the file has lost are an error, and no fault.
func TestTruncated(t *testing.T) {
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, text := file(t, s, dir, 100*page)
		m := mapFile(t, f, 0, 0)
		if _, err := m.Load(0, 100*page); err != nil { // m remembers all pages
			t.Fatal(err)
		}
		if err := f.Truncate(10*page + 5); err != nil {
			t.Fatal(err)
		}
		m.Forget()
		// more pages, so m asks the kernel
		if _, err := m.Load(0, 9*page); err != nil {
			t.Errorf("Load of what is left = %v", err)
		}
		if _, err := m.Load(20*page, 1); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Load of what is gone, beside what is left = %v; want %v", err, io.ErrUnexpectedEOF)
		}
		if _, err := m.Load(50*page, 1); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Load of what is gone = %v; want %v", err, io.ErrUnexpectedEOF)
		}
		if _, err := m.Load(9*page, 2*page); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Load beyond the end in its page = %v; want %v", err, io.ErrUnexpectedEOF)
		}
		if got, err := m.Load(9*page, page+5); err != nil || !bytes.Equal(got, text[9*page:10*page+5]) {
			t.Errorf("Load of what is left = %d bytes, %v", len(got), err)
		}
	})
}

// TestDeviceFails checks that Load returns the device's error, and remembers nothing.
func TestDeviceFails(t *testing.T) {
	hang.Watch(t)
	d := script.New(64)
	d.Rule = func(*driver.Op) (int32, bool) { return -int32(syscall.EIO), true }
	s := testenv.SchedulerOn(d)
	defer s.Close()
	f, _ := file(t, s, t.TempDir(), 512*page)
	m := mapFile(t, f, 0, 0)
	defer m.Close()
	dropCache(t, f)
	ctx, cancel := context.WithCancel(t.Context()) // so that no read is a plain call
	defer cancel()
	_, err := m.LoadUntil(ctx, 256*page, 1)
	if err == nil {
		skip.For(t, skip.Chance, "the file has stayed in the page cache")
	}
	var named *os.PathError
	if !errors.Is(err, syscall.EIO) || !errors.As(err, &named) || named.Op != "load" || named.Path != f.Name() {
		t.Errorf("Load = %v; want EIO, load and the file's name", err)
	}
	if m.Knows(256 * page) {
		t.Error("a page that could not be read is known to be resident")
	}
}

// TestOtherOwner checks a file of another owner, about which the kernel tells nothing. m reads its
// pages.
func TestOtherOwner(t *testing.T) {
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "giving a file away needs root")
	}
	s := testenv.Scheduler(t, sluice.Options{})
	f, text := file(t, s, t.TempDir(), 64*page)
	if err := f.Chown(12345, 12345); err != nil {
		t.Fatal(err)
	}
	if m := mapFile(t, f, 0, 0); !m.MayAsk() {
		t.Error("a file that may be written to: the kernel is not asked; want asked")
	}
	r, err := s.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := mapFile(t, r, 0, 0)
	if m.MayAsk() {
		t.Error("another's file: the kernel is asked; want reads")
	}
	if b, err := m.Load(3*page, 20*page); err != nil || !bytes.Equal(b, text[3*page:23*page]) {
		t.Errorf("Load = %d bytes, %v", len(b), err)
	}
}

func TestErrors(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, _ := file(t, s, t.TempDir(), 2*page)
	name := f.Name()
	empty, err := s.Create(filepath.Join(t.TempDir(), "empty"))
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	dir, err := s.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	m := mapFile(t, f, 10, 100)
	closed := mapFile(t, f, 0, 0)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	zero := new(mapped.Mapping)
	load := func(m *mapped.Mapping, off, n int64) error { _, err := m.Load(off, n); return err }
	open := func(f *sluice.File, off, n int64) error { _, err := mapped.Map(f, off, n); return err }
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"Map of nil", open(nil, 0, 0), "invalid argument"},
		{"Map of the zero File", open(new(sluice.File), 0, 0), "invalid argument"},
		{"Map of a directory", open(dir, 0, 0), "map " + dir.Name() + ": neither a regular file nor a block device: unsupported operation"},
		{"Map of an empty file", open(empty, 0, 0), "map " + empty.Name() + ": no bytes at 0: the file has 0"},
		{"Map past the end", open(f, 0, 2*page+1), "map " + name + ": 8193 bytes at 0 are not in the file, which has 8192"},
		{"Map of a negative offset", open(f, -1, 1), "map " + name + ": negative offset"},
		{"Map of a negative length", open(f, 1, -1), "map " + name + ": negative length"},
		{"Load past the end", load(m, 0, 101), "load " + name + ": 101 bytes at 0 are not in the mapping, which has 100"},
		{"Load of a large offset", load(m, 1<<62, 1<<62), "load " + name + ": 4611686018427387904 bytes at 4611686018427387904 are not in the mapping, which has 100"},
		{"Load of a negative offset", load(m, -1, 1), "load " + name + ": negative offset"},
		{"Load of a negative length", load(m, 1, -1), "load " + name + ": negative length"},
		{"Load of nothing", load(m, 100, 0), ""},
		{"Load after Close", load(closed, 0, 1), "load " + name + ": file already closed"},
		{"Close after Close", closed.Close(), "unmap " + name + ": file already closed"},
		{"Load of the zero Mapping", load(zero, 0, 0), "invalid argument"},
		{"Advise of the zero Mapping", zero.Advise(0, 0, sluice.AdviceRandom), "invalid argument"},
		{"Close of the zero Mapping", zero.Close(), "invalid argument"},
		{"Advise", m.Advise(0, 100, sluice.AdviceRandom), ""},
		{"Advise up to the end", m.Advise(10, 0, sluice.AdviceRandom), ""},
		{"Advise at the end", m.Advise(100, 0, sluice.AdviceRandom), ""},
		{"Advise past the end", m.Advise(99, 2, sluice.AdviceRandom), "advise " + name + ": 2 bytes at 99 are not in the mapping, which has 100"},
		{"Advise after Close", closed.Advise(0, 1, sluice.AdviceRandom), "advise " + name + ": file already closed"},
		{"Advise of another kind", m.Advise(0, 100, 77), "advise " + name + ": advice 77 is not between 0 and 4"},
	} {
		text := ""
		if c.err != nil {
			text = c.err.Error()
		}
		if text != c.want {
			t.Errorf("%s: error %q; want %q", c.what, text, c.want)
		}
	}
	if d, err := s.OpenFile(name, os.O_RDONLY|sys.O_DIRECT, 0); err == nil {
		defer d.Close()
		if err := open(d, 0, 0); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Map of a file that is open with O_DIRECT = %v; want %v", err, errors.ErrUnsupported)
		}
	}
}

// TestAdviseDontNeed checks that m then remembers nothing, and that the bytes are the file's.
func TestAdviseDontNeed(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, text := file(t, s, t.TempDir(), 100*page)
	m := mapFile(t, f, 50, 0)
	if _, err := m.Load(0, 10*page); err != nil {
		t.Fatal(err)
	}
	if err := m.Advise(0, 0, sluice.AdviceDontNeed); err != nil {
		t.Fatal(err)
	}
	if m.Knows(0) {
		t.Error("a page is known after AdviceDontNeed")
	}
	if b, err := m.Load(0, 10*page); err != nil || !bytes.Equal(b, text[50:50+10*page]) {
		t.Errorf("Load = %d bytes, %v", len(b), err)
	}
}
