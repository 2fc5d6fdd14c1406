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
		c := b.Chain()
		create := c.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		c.Allocate(create, 0, 8192)
		c.WriteAt(create, []byte("hello, "), 0)
		c.WriteAt(create, []byte("world"), 7)
		c.Sync(create)
		c.Close(create)
		c.Rename(name+".new", name)
		if err := b.Do(t.Context()); err != nil && !errors.Is(err, syscall.EOPNOTSUPP) {
			t.Fatalf("Do = %v", err)
		}
		b.Reset()
		c = b.Chain()
		open := c.Open(name)
		first, second := make([]byte, 5), make([]byte, 7)
		c.ReadAt(open, first, 0)
		c.ReadAt(open, second, 5)
		info := c.Stat(name)
		if err := b.Do(t.Context()); err != nil {
			t.Fatalf("Do = %v", err)
		}
		got := string(first) + string(second)
		if got != "hello, world" || info.Info().Size() != 12 {
			t.Errorf("read %q of a file of %d bytes; want hello, world", got, info.Info().Size())
		}
		readAndClose(t, open.Op().File(), "hello, world")
	})
}

// readAndClose uses a File that a Batch has opened.
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

// TestBatchBreaks has chains with an operation that fails or falls short. It checks how they end,
// and that none of their files stays open.
func TestBatchBreaks(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte("0123456789"), 0o600); err != nil {
			t.Fatal(err)
		}
		before := tempDescriptors(t)
		b := batch.New(s)
		c := b.Chain()
		missing := c.Open(name + ".no")
		c.ReadAt(missing, make([]byte, 4), 0)
		missingClose := c.Close(missing)
		c = b.Chain()
		short := c.Open(name)
		read := c.ReadAt(short, make([]byte, 20), 4)
		shortClose := c.Close(short)
		alone := b.Chain().Mkdir(name+".dir", 0o700)
		err := b.Do(t.Context())
		wantOps(t, []*batch.Op{missing.Op(), missingClose, short.Op(), read, shortClose, alone},
			batch.Failed, batch.NotBegun, batch.Done, batch.Failed, batch.NotBegun, batch.Done)
		if err != missing.Op().Err() || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Do = %v; want the first open's error, %v", err, missing.Op().Err())
		}
		if read.N() != 6 || read.Err() != io.EOF {
			t.Errorf("short ReadAt = %d, %v; want 6, io.EOF", read.N(), read.Err())
		}
		var path *os.PathError
		if err := shortClose.Err(); !errors.Is(err, batch.ErrChainBroken) || !errors.Is(err, syscall.ECANCELED) || !errors.As(err, &path) || path.Path != name {
			t.Errorf("Close after a short read = %v; want a PathError of %s, ErrChainBroken and ECANCELED", err, name)
		}
		if short.Op().File() != nil {
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

// tempDescriptors counts the references to files in a temporary directory, on disk or in memory:
// descriptors, and entries in the tables of rings.
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

// filesOfRing counts the files in a ring's table. The ring's fdinfo has a line for each: a number
// and the file's name.
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

// TestBatchRefuses performs wrong Batches: each is refused as a whole, and none of its operations
// is performed.
func TestBatchRefuses(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	dir := t.TempDir()
	other := batch.New(s)
	b := batch.New(s)
	old := b.Chain()
	oldFile := old.Open("x")
	for what, fill := range map[string]func(){
		"operation 1 (read): it has no file":                     func() { b.Chain().ReadAt(batch.Target{}, nil, 0) },
		"operation 1 (close): its file is opened by another Bat": func() { b.Chain().Close(other.Chain().Open("x")) },
		"operation 1 (sync): its file is opened by another Batc": func() { b.Chain().Sync(oldFile) },
		"operation 1 (stat): its Chain was made before Reset":    func() { old.Stat("x") },
		"operation 2 (read): its file is opened by operation 1, which is not in its chain": func() {
			open := b.Chain().Open("x")
			b.Chain().ReadAt(open, nil, 0)
		},
		"operation 3 (sync): its file, which operation 1 opens, is closed before it": func() {
			c := b.Chain()
			o := c.Open("x")
			c.Close(o)
			c.Sync(o)
			c.Datasync(o) // the error is of the first wrong operation
		},
		"operation 1 (stat): AllowShort of an operation that is not ReadAt": func() { b.Chain().Stat("x").AllowShort() },
		"Chain.In of no directory": func() { b.Chain().In(nil).Stat("x") },
	} {
		b.Reset()
		made := b.Chain().Mkdir(filepath.Join(dir, "made"), 0o700)
		fill()
		if err := b.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "sluice: Batch: "+what) {
			t.Errorf("Do = %v; want %s", err, what)
		}
		for op, err := range b.Each(t.Context()) {
			if op != nil || err == nil {
				t.Errorf("Each yields %v, %v; want nil and an error", op, err)
			}
		}
		if !errors.Is(made.Err(), batch.ErrNotBegun) {
			t.Errorf("an operation of it has the error %v; want ErrNotBegun", made.Err())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("a Batch that is refused has made a directory")
	}
	b.Reset()
	b.Chain().Stat(dir)
	if err := b.Do(t.Context()); err != nil {
		t.Errorf("Do after Reset = %v; want nil: what was wrong is gone", err)
	}
}

// TestChainMade checks that no Target is of a nil or zero File, and that only chains that a Batch
// has made are used.
func TestChainMade(t *testing.T) {
	const noFile, zeroChain = "sluice: batch.On of no file", "sluice: Batch: use of the zero Chain;"
	for _, c := range []struct {
		what string
		do   func()
	}{
		{noFile, func() { batch.On(nil) }},
		{noFile, func() { batch.On(new(sluice.File)) }},
		{zeroChain, func() { batch.Chain{}.Stat("x") }},
		{zeroChain, func() { batch.Chain{}.In(nil) }},
	} {
		func() {
			defer func() {
				if said, ok := recover().(string); !ok || !strings.HasPrefix(said, c.what) {
					t.Errorf("the panic says %q; want %s", said, c.what)
				}
			}()
			c.do()
		}()
	}
}

// TestZeroBatch performs the zero Batch, which is on the default Scheduler.
func TestZeroBatch(t *testing.T) {
	var b batch.Batch
	stat, none := b.Chain().Stat("."), b.Chain().Lstat("none")
	if err := b.Do(t.Context()); !errors.Is(err, os.ErrNotExist) || none.Err() != err || stat.Info() == nil {
		t.Errorf("Do = %v, with %v for %q; want os.ErrNotExist, and the FileInfo of the directory", err, stat.Info(), ".")
	}
}

// TestBatchInterleaved adds the operations of chains in turns, also through copies of a Chain. Each
// chain is performed in its order. Some chains are empty.
func TestBatchInterleaved(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, n := range []int{1, 2, 7, 300} {
			dir := t.TempDir()
			b := batch.New(s)
			chains, files, ops := make([]batch.Chain, n), make([]batch.Target, n), make([][]*batch.Op, n)
			turn := func(add func(c batch.Chain, i int) *batch.Op) {
				for i := range chains {
					ops[i] = append(ops[i], add(chains[i], i))
				}
			}
			fill := func(open func(c batch.Chain, name string) batch.Target, transfer func(c batch.Chain, f batch.Target, i int) *batch.Op) {
				b.Reset()
				clear(ops)
				for i := range chains {
					b.Chain() // without operations
					chains[i] = b.Chain()
				}
				turn(func(c batch.Chain, i int) *batch.Op {
					files[i] = open(c, filepath.Join(dir, fmt.Sprint(i)))
					return files[i].Op()
				})
				turn(func(c batch.Chain, i int) *batch.Op { return transfer(c, files[i], i) })
				turn(func(c batch.Chain, i int) *batch.Op { return c.Close(files[i]) })
			}
			fill(
				func(c batch.Chain, name string) batch.Target {
					return c.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				},
				func(c batch.Chain, f batch.Target, i int) *batch.Op { return c.WriteAt(f, []byte{byte(i)}, 0) })
			if err := b.Do(t.Context()); err != nil {
				t.Fatalf("Do of %d writing chains = %v", n, err)
			}
			if err := os.Remove(filepath.Join(dir, "0")); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, n)
			fill(batch.Chain.Open, func(c batch.Chain, f batch.Target, i int) *batch.Op { return c.ReadAt(f, got[i:i+1], 0) })
			next := map[*batch.Op]int{}
			for op := range b.Each(t.Context()) {
				i, k := op.Index()%n, op.Index()/n
				if op != ops[i][k] || next[ops[i][0]] != k {
					t.Errorf("operation %d of chain %d of %d is yielded as number %d", k, i, n, next[ops[i][0]])
				}
				next[ops[i][0]]++
			}
			wantOps(t, ops[0], batch.Failed, batch.NotBegun, batch.NotBegun)
			for i := 1; i < n; i++ {
				wantOps(t, ops[i], batch.Done, batch.Done, batch.Done)
				if got[i] != byte(i) || next[ops[i][0]] != 3 {
					t.Errorf("chain %d of %d has read %d, and %d operations were yielded; want %d, 3", i, n, got[i], next[ops[i][0]], byte(i))
				}
			}
		}
	})
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
	stat := b.Chain().Stat(t.TempDir())
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
		b.Chain().Stat(t.TempDir())
	}
	if err := b.Do(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Do on a Scheduler that was closed at once = %v; want os.ErrClosed", err)
	}
}

// TestBatchAt has names relative to an open directory, beside other names.
func TestBatchAt(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := t.TempDir()
		dir, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		b := batch.New(s)
		c := b.Chain().In(dir)
		c.Mkdir("a", 0o700)
		f := c.OpenFile("a/f", os.O_RDWR|os.O_CREATE, 0o600)
		c.WriteAt(f, []byte("text"), 0)
		c.Close(f)
		c.HardLink("a/f", "a/g")
		c.Symlink("g", "a/s")
		c.Rename("a/f", "f")
		stat := c.Stat("a/s")
		lstat := c.Lstat("a/s")
		c.Unlink("a/s")
		c.Unlink("a/g")
		c.Rmdir("a")
		kept := c.Open("f")
		if err := b.Do(t.Context()); err != nil {
			t.Fatalf("Do = %v", err)
		}
		readAndClose(t, kept.Op().File(), "text")
		want, err := os.Stat(filepath.Join(name, "f"))
		if err != nil || !os.SameFile(stat.Info(), want) {
			t.Errorf("Stat = %v, %v; want the file %v", stat.Info(), err, want)
		}
		if lstat.Info().Mode()&os.ModeSymlink == 0 || lstat.Info().Name() != "s" {
			t.Errorf("Lstat = %v; want a symbolic link s", lstat.Info())
		}
	})
}

// TestBatchEmptyTransfers checks that transfers of no bytes make no call, as in os.File.
func TestBatchEmptyTransfers(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "file")
		testenv.Write(t, name, "bytes")
		calls := func(transfers bool) int64 {
			b := batch.New(s)
			c := b.Chain()
			f := c.OpenFile(name, os.O_RDWR, 0)
			if transfers {
				c.ReadAt(f, nil, 0)
				c.WriteAt(f, nil, 0)
			}
			c.Close(f)
			before := s.Stats()
			if err := b.Do(t.Context()); err != nil {
				t.Errorf("Do = %v", err)
			}
			after := s.Stats()
			return after.Cached + after.Plain - before.Cached - before.Plain
		}
		if got, want := calls(true), calls(false); got != want {
			t.Errorf("%d calls; want the %d of open and close", got, want)
		}
	})
}

// TestBatchEach yields operations as they end, and stops when the loop is left.
func TestBatchEach(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		b := batch.New(s)
		const n = 1000
		for i := range n {
			c := b.Chain()
			c.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700)
			c.Rmdir(filepath.Join(dir, fmt.Sprint(i)))
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
			b.Chain().Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700)
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
