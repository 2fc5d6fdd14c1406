package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBatchChain makes a file by one chain and reads it by another.
func TestBatchChain(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "file")
		b := batch.New(s)
		create := b.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600).Then()
		b.Allocate(create, 0, 8192).Then()
		b.WriteAt(create, []byte("hello, "), 0).Then()
		b.WriteVec(create, [][]byte{[]byte("wor"), nil, []byte("ld")}, 7).Then()
		b.Sync(create).Then()
		b.Close(create).Then()
		b.Rename(name+".new", name)
		if err := b.Do(t.Context()); err != nil && !errors.Is(err, syscall.EOPNOTSUPP) {
			t.Fatalf("Do = %v", err)
		}
		b.Reset()
		open := b.Open(name).Then()
		first, second := make([]byte, 5), [][]byte{make([]byte, 3), make([]byte, 4)}
		b.ReadAt(open, first, 0).Then()
		b.ReadVec(open, second, 5).Then()
		info := b.Stat(name)
		if err := b.Do(t.Context()); err != nil {
			t.Fatalf("Do = %v", err)
		}
		got := string(first) + string(second[0]) + string(second[1])
		if got != "hello, world" || info.Info().Size() != 12 {
			t.Errorf("read %q of a file of %d bytes; want hello, world", got, info.Info().Size())
		}
		readAndClose(t, open.File(), "hello, world")
	})
}

// readAndClose uses a File that a Batch has opened, as any other.
func readAndClose(t *testing.T, f *sluice.File, want string) {
	t.Helper()
	got, err := io.ReadAll(f)
	if string(got) != want || err != nil {
		t.Errorf("the opened file has %q, %v; want %q", got, err, want)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// TestBatchBreaks sees how chains end in which an operation does not succeed
// wholly, and that nothing of them stays open.
func TestBatchBreaks(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte("0123456789"), 0o600); err != nil {
			t.Fatal(err)
		}
		before := tempDescriptors(t)
		b := batch.New(s)
		missing := b.Open(name + ".no").Then()
		b.ReadAt(missing, make([]byte, 4), 0).Then()
		missingClose := b.Close(missing)
		short := b.Open(name).Then()
		read := b.ReadAt(short, make([]byte, 20), 4).Then()
		shortClose := b.Close(short)
		alone := b.Mkdir(name+".dir", 0o700)
		err := b.Do(t.Context())
		wantOps(t, []*batch.Op{missing, missingClose, short, read, shortClose, alone},
			batch.Failed, batch.NotBegun, batch.Done, batch.Failed, batch.NotBegun, batch.Done)
		if err != missing.Err() || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Do = %v; want the first open's error, %v", err, missing.Err())
		}
		if read.N() != 6 || read.Err() != io.EOF {
			t.Errorf("short ReadAt = %d, %v; want 6, io.EOF", read.N(), read.Err())
		}
		var path *os.PathError
		if err := shortClose.Err(); !errors.Is(err, batch.ErrChainBroken) || !errors.Is(err, syscall.ECANCELED) || !errors.As(err, &path) || path.Path != name {
			t.Errorf("Close after a short read = %v; want a PathError of %s, ErrChainBroken and ECANCELED", err, name)
		}
		if short.File() != nil {
			t.Error("a file that its chain closes is given out")
		}
		if after := tempDescriptors(t); after > before {
			t.Errorf("%d descriptors are open; there were %d", after, before)
		}
	})
}

func wantOps(t *testing.T, ops []*batch.Op, want ...batch.State) {
	t.Helper()
	for i, op := range ops {
		if op.State() != want[i] {
			t.Errorf("operation %d is %v (%v); want %v", op.Index(), op.State(), op.Err(), want[i])
		}
	}
}

// tempDescriptors counts what refers to files in a temporary directory, on disk
// or in memory: descriptors, and places in the tables of rings.
func tempDescriptors(t *testing.T) (n int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	for _, fd := range fds {
		to, err := os.Readlink("/proc/self/fd/" + fd.Name())
		switch {
		case err != nil: // the descriptor that reads the directory
		case inTemp(to):
			n++
		case to == "anon_inode:[io_uring]":
			n += filesOfRing(t, fd.Name())
		}
	}
	return n
}

func inTemp(name string) bool {
	return strings.HasPrefix(name, os.TempDir()) || strings.HasPrefix(name, "/dev/shm/")
}

// filesOfRing counts the files that a ring has in its table, each a line of its
// fdinfo: a number and the file's name.
func filesOfRing(t *testing.T, fd string) (n int) {
	t.Helper()
	info, err := os.ReadFile("/proc/self/fdinfo/" + fd)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(info)) {
		if _, name, ok := strings.Cut(line, ": "); ok && inTemp(strings.TrimSpace(name)) {
			n++
		}
	}
	return n
}

// TestBatchRefuses gives Batches that are wrong: each is refused as a whole, and
// nothing of it is performed.
func TestBatchRefuses(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	dir := t.TempDir()
	f := testenv.TextOn(t, s, dir)
	other := batch.New(s)
	for what, fill := range map[string]func(b *batch.Batch){
		"operation 1 (read): it has no file":                                      func(b *batch.Batch) { b.ReadAt(nil, nil, 0) },
		"operation 1 (sync): it has no file":                                      func(b *batch.Batch) { b.Sync((*sluice.File)(nil)) },
		"operation 1 (close): its file is of no operation":                        func(b *batch.Batch) { b.Close((*batch.Op)(nil)) },
		"operation 1 (close): its file is of an operation that opens none":        func(b *batch.Batch) { b.Close(other.Open("x")) },
		"operation 2 (read): its file is opened by operation 1, which is not bef": func(b *batch.Batch) { b.ReadAt(b.Open("x"), nil, 0) },
		"operation 3 (sync): its file, that of operation 1, is closed before it": func(b *batch.Batch) {
			o := b.Open("x").Then()
			b.Close(o).Then()
			b.Sync(o)
		},
		"operation 1 (read): In of an operation that has no name": func(b *batch.Batch) { b.ReadAt(f, nil, 0).In(f) },
		"operation 1 (stat): In of no directory":                  func(b *batch.Batch) { b.Stat("x").In(nil) },
	} {
		b := batch.New(s)
		b.Mkdir(filepath.Join(dir, "made"), 0o700)
		fill(b)
		if err := b.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "sluice: Batch: "+what) {
			t.Errorf("Do = %v; want %s", err, what)
		}
		for op, err := range b.Each(t.Context()) {
			if op != nil || err == nil {
				t.Errorf("Each yields %v, %v; want nil and an error", op, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("a Batch that is refused has made a directory")
	}
}

// TestBatchOnce performs a Batch twice, empty, and on a closed Scheduler.
func TestBatchOnce(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	b := batch.New(s)
	if err := b.Do(t.Context()); err != nil {
		t.Errorf("Do of nothing = %v", err)
	}
	if err := b.Do(t.Context()); err == nil {
		t.Error("Do a second time = nil; want an error")
	}
	b.Reset()
	stat := b.Stat(t.TempDir())
	if err := b.Do(t.Context()); err != nil || stat.State() != batch.Done {
		t.Errorf("Do after Reset = %v, %v", err, stat.State())
	}
	s.Close()
	b.Reset()
	if err := b.Do(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Do on a closed Scheduler = %v; want os.ErrClosed", err)
	}
	s = testenv.Scheduler(t, sluice.Options{})
	s.Close() // before it has chosen a driver
	b = batch.New(s)
	for range 100 {
		b.Stat(t.TempDir())
	}
	if err := b.Do(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Do on a Scheduler that was closed at once = %v; want os.ErrClosed", err)
	}
}

// TestBatchAt has names relative to an open directory, and sees that others are
// not.
func TestBatchAt(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := t.TempDir()
		dir, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		b := batch.New(s)
		b.Mkdir("a", 0o700).In(dir).Then()
		f := b.OpenFile("a/f", os.O_RDWR|os.O_CREATE, 0o600).In(dir).Then()
		b.WriteAt(f, []byte("text"), 0).Then()
		b.Close(f).Then()
		b.HardLink("a/f", "a/g").In(dir).Then()
		b.Symlink("g", "a/s").In(dir).Then()
		b.Rename("a/f", "f").In(dir).Then()
		stat := b.Stat("a/s").In(dir).Then()
		lstat := b.Lstat("a/s").In(dir).Then()
		b.Unlink("a/s").In(dir).Then()
		b.Unlink("a/g").In(dir).Then()
		b.Rmdir("a").In(dir).Then()
		kept := b.Open("f").In(dir)
		if err := b.Do(t.Context()); err != nil {
			t.Fatalf("Do = %v", err)
		}
		readAndClose(t, kept.File(), "text")
		want, err := os.Stat(filepath.Join(name, "f"))
		if err != nil || !os.SameFile(stat.Info(), want) {
			t.Errorf("Stat = %v, %v; want the file %v", stat.Info(), err, want)
		}
		if lstat.Info().Mode()&os.ModeSymlink == 0 || lstat.Info().Name() != "s" {
			t.Errorf("Lstat = %v; want a symbolic link s", lstat.Info())
		}
	})
}

// TestBatchEach yields what ends, and stops when the loop is left.
func TestBatchEach(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		b := batch.New(s)
		const n = 1000
		for i := range n {
			b.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700).Then()
			b.Rmdir(filepath.Join(dir, fmt.Sprint(i)))
		}
		seen := map[int]bool{}
		for op, err := range b.Each(t.Context()) {
			if err != nil || op.State() != batch.Done || seen[op.Index()] || op.Index()%2 == 1 && !seen[op.Index()-1] {
				t.Errorf("Each yields operation %d, %v, %v", op.Index(), op.State(), err)
			}
			seen[op.Index()] = true
		}
		if len(seen) != 2*n {
			t.Errorf("Each has yielded %d operations; want %d", len(seen), 2*n)
		}
		b.Reset()
		for i := range n {
			b.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700)
		}
		for range b.Each(t.Context()) {
			break
		}
		made, err := os.ReadDir(dir)
		done := 0
		for i := range n {
			switch op := b.Op(i); {
			case op.State() == batch.Done:
				done++
			case op.State() != batch.NotBegun || !errors.Is(op.Err(), batch.ErrNotBegun) || !errors.Is(op.Err(), context.Canceled):
				t.Errorf("operation %d of a loop that was left is %v, %v", i, op.State(), op.Err())
			}
		}
		if err != nil || len(made) != done {
			t.Errorf("%d directories, %v; %d operations say that they have made one", len(made), err, done)
		}
	})
}
