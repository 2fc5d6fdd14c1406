package classes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/trace"
)

// TestClassTrace checks that each read and write is recorded with the class of its context or view,
// in every way to make it.
func TestClassTrace(t *testing.T) {
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			_, s := testenv.Recorded(t, name)
			f, noise := testenv.DirectNoise(t, s, 2<<20)
			weighted := testenv.Class(t, s, "weighted", sluice.ClassOptions{Weight: 7})
			limited := testenv.Class(t, s, "limited", sluice.ClassOptions{Depth: 1000})
			for _, c := range []*sluice.Class{weighted, limited, s.Classes()[0]} {
				view, err := f.WithClass(c)
				if err != nil {
					t.Fatal(err)
				}
				ctx := sluice.WithClass(t.Context(), c)
				for way, do := range waysToRead {
					wantClass(t, s, c, way+" by context", func() error { return do(ctx, f, noise) })
					wantClass(t, s, c, way+" by view", func() error { return do(t.Context(), view, noise) })
				}
				dir := t.TempDir()
				wantClass(t, s, c, "File", func() error { return useFile(ctx, s, filepath.Join(dir, "file")) })
				wantClass(t, s, c, "Batch", func() error { return useBatch(ctx, s, filepath.Join(dir, "batch")) })
				wantClass(t, s, c, "Writer", func() error { return useWriter(ctx, s, filepath.Join(dir, "writer"), noise) })
			}
		})
	}
}

// wantClass requires that do's reads and writes are recorded as c's.
func wantClass(t *testing.T, s *sluice.Scheduler, c *sluice.Class, way string, do func() error) {
	t.Helper()
	tr, n := recordOf(t, s, do), 0
	for _, op := range tr.Ops {
		if op.Kind != trace.KindRead && op.Kind != trace.KindWrite {
			continue
		}
		n++
		if got := tr.Classes[op.Class]; got != c.Name() {
			t.Errorf("%s: %v (%v) of %d bytes is of class %q; want %q", way, op.Kind, op.Path, op.Size, got, c.Name())
		}
	}
	if n == 0 {
		t.Errorf("%s: nothing recorded", way)
	}
}

// recordOf records do's operations.
func recordOf(t *testing.T, s *sluice.Scheduler, do func() error) *trace.Trace {
	t.Helper()
	rec, err := trace.New(trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Start()
	s.Record(rec)
	if err := do(); err != nil {
		t.Error(err)
	}
	s.Record(nil)
	return rec.Trace()
}

// useFile writes and reads through the page cache.
func useFile(ctx context.Context, s *sluice.Scheduler, name string) error {
	f, err := s.Create(name)
	if err != nil {
		return err
	}
	b := make([]byte, 10_000)
	_, err = f.WriteAtContext(ctx, b, 0)
	for range 2 {
		_, again := f.ReadAtContext(ctx, b, 0)
		err = errors.Join(err, again)
	}
	return errors.Join(err, f.Close())
}

// useBatch writes and reads by one Batch, with its own descriptors.
func useBatch(ctx context.Context, s *sluice.Scheduler, name string) error {
	b := batch.New(s)
	c := b.Chain()
	f := c.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	c.WriteAt(f, make([]byte, 10_000), 0)
	c.ReadAt(f, make([]byte, 10_000), 0)
	c.Close(f)
	return b.Do(ctx)
}

func useWriter(ctx context.Context, s *sluice.Scheduler, name string, noise []byte) error {
	f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(copyBy(ctx, f, noise), f.Close())
}

// TestClassTraceWaits checks that the wait for a ticket is part of an operation's time in the
// queue.
func TestClassTraceWaits(t *testing.T) {
	const wait = 5 * time.Millisecond
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			_, s := testenv.Recorded(t, name)
			f, noise := testenv.DirectNoise(t, s, 1<<20)
			for way, do := range map[string]func(context.Context) error{
				"ReadAt":     func(ctx context.Context) error { return sameAt(ctx, f, noise, 0, 4096) },
				"ReadBuffer": func(ctx context.Context) error { return sameBuffer(ctx, f, noise[:4096]) },
				"Reader":     func(ctx context.Context) error { return readSome(ctx, f) },
			} {
				c, ctx := stuck(t, s, f)
				tr := recordOf(t, s, func() error {
					ended := make(chan error, 1)
					go func() { ended <- do(ctx) }()
					testenv.WaitFor(t, "an operation to wait", func() bool { return c.Stats().Waiting > 0 })
					time.Sleep(wait)
					return errors.Join(c.Remove(), <-ended) // without its class it goes on
				})
				longest := time.Duration(0)
				for _, op := range tr.Ops {
					longest = max(longest, op.InQueue())
				}
				if longest < wait {
					t.Errorf("%s: no operation was in the queue for more than %v; want %v", way, longest, wait)
				}
			}
		})
	}
}

// readSome reads the beginning of the file by a stream.
func readSome(ctx context.Context, f *direct.File) error {
	r, err := f.NewReader(ctx, direct.ReaderOptions{BufferSize: 4096, ReadAhead: 2})
	if err != nil {
		return err
	}
	_, err = r.Read(make([]byte, 100))
	return errors.Join(err, r.Close())
}
