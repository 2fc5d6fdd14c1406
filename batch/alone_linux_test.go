package batch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/batch"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBatchMeets opens both ends of a FIFO in one Batch. The caller, which begins alone, must not
// wait for the other end for ever.
func TestBatchMeets(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, each := range []bool{false, true} {
			name := filepath.Join(t.TempDir(), "fifo")
			if err := unix.Mkfifo(name, 0o600); err != nil {
				skip.For(t, skip.Special, err)
			}
			b := batch.New(s)
			b.Chain().Stat(name)
			reader := b.Chain().Open(name)
			writer := b.Chain().OpenFile(name, os.O_WRONLY, 0)
			seen := 3
			var err error
			if each {
				for _, err1 := range b.Each(t.Context()) {
					seen--
					err = errors.Join(err, err1)
				}
			} else {
				err, seen = b.Do(t.Context()), 0
			}
			if err != nil || seen != 0 {
				t.Fatalf("%v, and %d were not yielded", err, seen)
			}
			if err := errors.Join(reader.Op().File().Close(), writer.Op().File().Close()); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestBatchMeetsAgain is TestBatchMeets with a Batch that was just performed, so that its timer is
// still set, and with one whose timer has run out since.
func TestBatchMeetsAgain(t *testing.T) {
	hang.Watch(t)
	s := testenv.Scheduler(t, sluice.Options{})
	dir := t.TempDir()
	b := batch.New(s)
	for i, pause := range []time.Duration{0, 0, 50 * time.Millisecond, 0} {
		name := filepath.Join(dir, fmt.Sprint("fifo", i))
		if err := unix.Mkfifo(name, 0o600); err != nil {
			skip.For(t, skip.Special, err)
		}
		b.Reset()
		b.Chain().Stat(dir)
		b.Chain().Stat(name)
		if err := b.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(pause)
		b.Reset()
		b.Chain().Stat(dir)
		reader := b.Chain().Open(name)
		writer := b.Chain().OpenFile(name, os.O_WRONLY, 0)
		if err := b.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(reader.Op().File().Close(), writer.Op().File().Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestBatchEachChain leaves the loop in the middle of a chain, which ends there.
func TestBatchEachChain(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	dir := t.TempDir()
	b := batch.New(s)
	c := b.Chain()
	for i := range 10 {
		c.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700)
	}
	for op := range b.Each(t.Context()) {
		if op.Index() == 3 {
			break
		}
	}
	for i := range 10 {
		op, want := b.Op(i), batch.Done
		if i > 3 {
			want = batch.NotBegun
		}
		if op.State() != want || i > 3 && !errors.Is(op.Err(), context.Canceled) {
			t.Errorf("operation %d is %v, %v; want %v", i, op.State(), op.Err(), want)
		}
	}
	if made, err := os.ReadDir(dir); len(made) != 4 || err != nil {
		t.Errorf("%d directories, %v; want 4", len(made), err)
	}
}

// TestBatchEachPanics makes the loop's body panic at the first operation and later. All operations
// must have a state, the files that chains own must be closed, and the Scheduler can be closed.
func TestBatchEachPanics(t *testing.T) {
	for _, at := range []int{1, 2, 150} {
		s := testenv.Scheduler(t, sluice.Options{})
		names := smallFiles(t, t.TempDir(), 100, 100)
		before := tempDescriptors(t)
		b := batch.New(s)
		c := b.Chain()
		stat := c.Stat(names[0])
		c.Stat(names[1])
		addReads(b, names, 100)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is gone")
				}
			}()
			seen := 0
			for range b.Each(t.Context()) {
				if seen++; seen == at {
					panic("body")
				}
			}
		}()
		if n := batchStates(b)[batch.Waiting]; n != 0 || stat.State() != batch.Done {
			t.Errorf("panic %d: %d operations wait, the first is %v", at, n, stat.State())
		}
		if after := tempDescriptors(t); after > before {
			t.Errorf("%d descriptors are open; there were %d", after, before)
		}
		s.Close() // hangs if the Batch has not released it
	}
}

// TestBatchMisused uses Batches in wrong ways.
func TestBatchMisused(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	dir := t.TempDir()
	f := testenv.TextOn(t, s, dir)
	b := batch.New(s)
	chain := b.Chain()
	read := chain.ReadAt(batch.On(f), make([]byte, 1), 0)
	//nolint:staticcheck // this is what is tried
	if err := b.Do(nil); err == nil || !strings.Contains(err.Error(), "the context is nil") {
		t.Errorf("Do(nil) = %v; want an error", err)
	}
	for what, misuse := range map[string]func(){
		"Reset":              b.Reset,
		"an operation added": func() { chain.Stat(dir) },
		"a chain made":       func() { b.Chain() },
		"AllowShort called":  func() { read.AllowShort() },
	} {
		for range b.Each(t.Context()) {
			func() {
				defer func() {
					if said, ok := recover().(string); !ok || !strings.Contains(said, "sluice: Batch: "+what) {
						t.Errorf("%s in the loop: %q", what, said)
					}
				}()
				misuse()
			}()
			if err := b.Do(t.Context()); err == nil {
				t.Error("Do in the loop = nil; want an error")
			}
		}
		b.Reset()
		chain = b.Chain()
		read = chain.ReadAt(batch.On(f), make([]byte, 1), 0)
	}
	f.Close()
	b.Reset()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	on := batch.On(f)
	b.Chain().ReadAt(on, nil, 0)
	if err := b.Do(ended); !errors.Is(err, batch.ErrNotBegun) || !errors.Is(err, context.Canceled) {
		t.Errorf("Do with a context that has ended = %v; want ErrNotBegun and context.Canceled", err)
	}
	b.Reset()
	closed := []*batch.Op{
		b.Chain().ReadAt(on, make([]byte, 1), 0), b.Chain().WriteAt(on, []byte("x"), 0),
		b.Chain().Sync(on), b.Chain().Datasync(on), b.Chain().Truncate(on, 1),
		b.Chain().Allocate(on, 0, 1), b.Chain().Advise(on, 0, 0, sluice.AdviceWillNeed), b.Chain().Close(on),
	}
	if err := b.Do(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Do on a closed file = %v; want os.ErrClosed", err)
	}
	for _, op := range closed {
		if op.State() != batch.Failed || !errors.Is(op.Err(), os.ErrClosed) {
			t.Errorf("operation %d on a closed file is %v, %v; want os.ErrClosed", op.Index(), op.State(), op.Err())
		}
	}
}
