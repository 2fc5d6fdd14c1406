package sched

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func foreignFile(fd int, direct, appends bool) *File {
	b := new(ForeignFile)
	b.Set(fd, direct, appends)
	return &b.File
}

// TestForeignFileForgets: an fsync that has failed is the kernel's to remember.
func TestForeignFileForgets(t *testing.T) {
	p := playSyncs(t)
	p.f = foreignFile(1<<20, false, false)
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, 0} {
		done := p.sync(context.Background())
		<-p.started
		p.results <- -int32(errno)
		if err := <-done; (err == nil) != (errno == 0) || err != nil && err != errno {
			t.Errorf("Sync = %v; want errno %d", err, errno)
		}
	}
}

// TestForeignFile: short counts, the end of the file and errors are the system
// calls'.
func TestForeignFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := newOn(drv, Options{Threads: 4})
	defer s.Close()
	f := foreignFile(int(file.Fd()), false, false)
	b := make([]byte, 8)
	for _, c := range []struct {
		call string
		do   func() (int, error)
		n    int
		err  error
	}{
		{"WriteCurrent(hello)", func() (int, error) { return s.WriteCurrent(f, []byte("hello")) }, 5, nil},
		{"Pwrite(hello, 3)", func() (int, error) { return s.Pwrite(f, []byte("hello"), 3) }, 5, nil},
		{"Pwrite(-1)", func() (int, error) { return s.Pwrite(f, []byte("x"), -1<<40) }, 0, syscall.EINVAL},
		{"ReadCurrent", func() (int, error) { return s.ReadCurrent(f, b) }, 3, nil},
		{"ReadCurrent at the end", func() (int, error) { return s.ReadCurrent(f, b) }, 0, nil},
		{"Pread(4)", func() (int, error) { return s.Pread(f, b, 4) }, 4, nil},
		{"Pread past the end", func() (int, error) { return s.Pread(f, b, 100) }, 0, nil},
		{"ReadCurrent of a bad descriptor", func() (int, error) { return s.ReadCurrent(foreignFile(1<<20, false, false), b) }, 0, syscall.EBADF},
	} {
		if n, err := c.do(); n != c.n || err != c.err {
			t.Errorf("%s = %d, %v; want %d, %v", c.call, n, err, c.n, c.err)
		}
	}
}

// TestForeignFileCached: what is in the page cache, and the end of the file, are
// read without a permit, where the kernel can be relied upon.
func TestForeignFileCached(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b := make([]byte, 64)
	if sys.ReadCached(int(file.Fd()), b, 0) != 64 {
		skip.For(t, skip.Chance, "no reads from the page cache alone here")
	}
	for _, knowsEnd := range []bool{true, false} {
		s := newOn(script.New(8), queueAll)
		s.paths.FindsEnd = knowsEnd
		plain := 0
		s.paths.Call = func(code driver.Code, fd int, b []byte, off int64) int32 {
			plain++
			return iopath.MakeCall(code, fd, b, off)
		}
		s.paths.Plain = 1
		f := foreignFile(int(file.Fd()), false, false)
		if _, err := file.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{64, 36, 0} {
			if n, err := s.ReadCurrent(f, b); n != want || err != nil {
				t.Errorf("ReadCurrent %d = %d, %v; want %d", i, n, err, want)
			}
		}
		for off, want := range map[int64]int{0: 64, 90: 10, 100: 0, 1000: 0} {
			if n, err := s.Pread(f, b, off); n != want || err != nil {
				t.Errorf("Pread at %d = %d, %v; want %d", off, n, err, want)
			}
		}
		// 64, 36, the end; 64, 10, twice the end.
		ends, st := 3, s.Stats()
		if knowsEnd && (plain != 0 || st.Plain != 0 || st.Cached != 7) {
			t.Errorf("%d plain calls, %d operations cached, %d plain; want 0, 7, 0", plain, st.Cached, st.Plain)
		}
		if !knowsEnd && (plain != ends || st.Plain != int64(ends)) {
			t.Errorf("%d plain calls where the kernel is not relied upon; want %d", plain, ends)
		}
		if s.permits() != 0 {
			t.Errorf("%d permits are taken", s.permits())
		}
		s.Close()
	}
}

// TestForeignFileUncached: a read does not take bytes that the page cache lacks for the end of the
// file.
func TestForeignFileUncached(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	const size = 1 << 20
	content := make([]byte, size)
	rnd := rand.New(rand.NewPCG(seed.Of(t), 0))
	for i := range content {
		content[i] = byte(rnd.Uint32())
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := newOn(drv, Options{Threads: 4, Plain: 1})
	defer s.Close()
	for range 8 {
		cool(t, file)
		f := foreignFile(int(file.Fd()), false, false)
		if _, err := file.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		var got []byte
		for b := make([]byte, 1+rnd.IntN(20_000)); ; {
			n, err := s.ReadCurrent(f, b)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			if n < len(b) && len(got)+n < size {
				t.Fatalf("ReadCurrent of %d bytes at %d = %d; only the end is short", len(b), len(got), n)
			}
			got = append(got, b[:n]...)
		}
		if !bytes.Equal(got, content) {
			t.Fatalf("%d bytes are read; want the %d of the file", len(got), size)
		}
		off := rnd.Int64N(size)
		cool(t, file)
		b := make([]byte, 1)
		if n, err := s.Pread(f, b, off); n != 1 || err != nil || b[0] != content[off] {
			t.Fatalf("Pread at %d = %d, %v, %#x; want %#x", off, n, err, b[0], content[off])
		}
	}
}
