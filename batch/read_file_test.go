package batch_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/sluicetest"
)

// TestReadFile reads files of many sizes, a directory, a missing file and a file without a size,
// with the results and errors of os.ReadFile.
func TestReadFile(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		var names []string
		for i, n := range []int{0, 1, 511, 512, 513, 4095, 4096, 100_000, 3 << 20} {
			name := filepath.Join(dir, string(rune('a'+i)))
			testenv.Write(t, name, string(testenv.Noise(n)))
			names = append(names, name)
		}
		names = append(names, dir, filepath.Join(dir, "missing"))
		if runtime.GOOS == "linux" {
			names = append(names, "/proc/version")
		}
		b := batch.New(s)
		for _, name := range names {
			b.Chain().ReadFile(name)
		}
		_ = b.Do(t.Context()) // some of them fail
		for i, name := range names {
			want, wantErr := os.ReadFile(name)
			op := b.Op(i)
			if got := op.Bytes(); string(got) != string(want) || op.N() != len(want) {
				t.Errorf("ReadFile(%s) has %d bytes, N = %d; want %d", name, len(got), op.N(), len(want))
			}
			if got, want := testenv.Describe(op.Err(), dir), testenv.Describe(wantErr, dir); got != want {
				t.Errorf("ReadFile(%s) = %s; want %s", name, got, want)
			}
			if wantErr == nil != (op.State() == batch.Done) {
				t.Errorf("ReadFile(%s) is %v, error %v", name, op.State(), op.Err())
			}
		}
	})
}

// TestReadFileAtOnce checks that ReadFile reads a file of a simulated disk by its size, with one
// read and a second one that finds the end. Its memory does not grow piece by piece.
func TestReadFileAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		skip.For(t, skip.Platform, "there are no simulated disks")
	}
	d := sluicetest.NewDisk(sluicetest.Options{})
	defer d.Close()
	f, err := d.Scheduler().OpenFile("file", os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(testenv.Noise(100_000)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	reads := func() int64 { st := d.Scheduler().Stats(); return st.Cached + st.Plain + st.Queued }
	b := batch.New(d.Scheduler())
	op := b.Chain().ReadFile("file")
	before := reads()
	if err := b.Do(t.Context()); err != nil || op.N() != 100_000 {
		t.Fatalf("ReadFile = %d bytes, %v; want 100000, nil", op.N(), err)
	}
	const most = 3 // including the open
	if n := reads() - before; n > most {
		t.Errorf("ReadFile makes %d operations; want %d at most", n, most)
	}
}

// TestReadFileLargerThanMemory reads a file larger than the memory. A real read would end the
// program.
func TestReadFileLargerThanMemory(t *testing.T) {
	name := filepath.Join(testenv.MemoryDir(t), "sparse")
	testenv.Write(t, name, "")
	if err := os.Truncate(name, 1<<61); err != nil {
		skip.For(t, skip.Tmpfs, err)
	}
	b := batch.New(testenv.Scheduler(t, sluice.Options{}))
	op := b.Chain().ReadFile(name)
	after := b.Chain().Stat(name)
	var pe *fs.PathError
	if err := b.Do(t.Context()); !errors.Is(err, syscall.ENOMEM) || !errors.As(err, &pe) || pe.Op != "read" || pe.Path != name {
		t.Errorf("Do = %v; want read %s: ENOMEM", err, name)
	}
	if op.State() != batch.Failed || after.Err() != nil {
		t.Errorf("ReadFile is %v, a Stat beside it has %v; want Failed, nil", op.State(), after.Err())
	}
}

// TestReadFileInChain checks that ReadFile takes names in a directory, sees the writes of its
// chain, and breaks the chain if it fails.
func TestReadFileInChain(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		place := t.TempDir()
		dir, err := s.Open(place)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		b := batch.New(s)
		c := b.Chain().In(dir)
		open := c.OpenFile("file", os.O_WRONLY|os.O_CREATE, 0o600)
		c.WriteAt(open, []byte(testenv.Twenty), 0)
		c.Close(open)
		read := c.ReadFile("file")
		missing := c.ReadFile("missing")
		after := c.ReadFile("file")
		if err := b.Do(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Do = %v; want os.ErrNotExist", err)
		}
		if string(read.Bytes()) != testenv.Twenty || read.Err() != nil {
			t.Errorf("ReadFile = %q, %v; want %q", read.Bytes(), read.Err(), testenv.Twenty)
		}
		wantOps(t, []*batch.Op{read, missing, after}, batch.Done, batch.Failed, batch.NotBegun)
		if !errors.Is(after.Err(), batch.ErrChainBroken) {
			t.Errorf("after a ReadFile that failed: %v; want ErrChainBroken", after.Err())
		}
	})
}

// TestAllowShort checks that a short read breaks its chain, unless AllowShort was called. Other
// operations refuse AllowShort.
func TestAllowShort(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := filepath.Join(t.TempDir(), "file")
		testenv.Write(t, name, testenv.Twenty)
		for _, chains := range []int{1, 3, 300} {
			for _, allow := range []bool{false, true} {
				b := batch.New(s)
				for range chains {
					c := b.Chain()
					open := c.Open(name)
					read := c.ReadAt(open, make([]byte, 100), 0)
					second := c.ReadAt(open, make([]byte, 10), 15)
					if allow {
						read.AllowShort()
						second.AllowShort()
					}
					c.Close(open)
				}
				err := b.Do(t.Context())
				for i := 0; i < b.Len(); i += 4 {
					open, read, second, end := b.Op(i), b.Op(i+1), b.Op(i+2), b.Op(i+3)
					if read.N() != len(testenv.Twenty) {
						t.Fatalf("a short read has %d bytes; want %d", read.N(), len(testenv.Twenty))
					}
					if allow {
						wantOps(t, []*batch.Op{open, read, second, end}, batch.Done, batch.Done, batch.Done, batch.Done)
						if err != nil || second.N() != 5 {
							t.Fatalf("Do = %v, the second read has %d bytes; want nil, 5", err, second.N())
						}
						continue
					}
					wantOps(t, []*batch.Op{open, read, second, end}, batch.Done, batch.Failed, batch.NotBegun, batch.NotBegun)
					if err != io.EOF || read.Err() != io.EOF || !errors.Is(end.Err(), batch.ErrChainBroken) {
						t.Fatalf("Do = %v, errors %v and %v; want io.EOF, io.EOF and ErrChainBroken", err, read.Err(), end.Err())
					}
				}
			}
		}
		b := batch.New(s)
		b.Chain().Stat(name).AllowShort()
		if err := b.Do(t.Context()); err == nil {
			t.Error("AllowShort of a Stat was taken")
		}
	})
}
