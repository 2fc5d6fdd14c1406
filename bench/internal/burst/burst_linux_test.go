package burst

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// directFile returns a file of n bytes, opened with O_DIRECT.
func directFile(t *testing.T, n int64) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		skip.For(t, skip.Direct, err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestRun(t *testing.T) {
	const writes, size = 100, 4096
	for _, e := range Engines {
		t.Run(string(e), func(t *testing.T) {
			f := directFile(t, writes*size)
			r, err := Run(t.Context(), e, f, writes, size)
			if _, ok := errors.AsType[*UnsupportedError](err); ok {
				skip.ForDriver(t, string(e), err)
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, r, writes)
			got, err := os.ReadFile(f.Name())
			if err != nil || len(got) != writes*size || bytes.Contains(got, make([]byte, size/2)) {
				t.Errorf("file has %d bytes, %v; want each block of %d written", len(got), err, writes)
			}
		})
	}
}

// check checks that each write was queued, and then completed in exactly one batch.
func check(t *testing.T, r *Result, writes int) {
	t.Helper()
	sum := 0
	for _, b := range r.Batches {
		sum += b.Writes
		if b.Writes < 1 || b.First < 0 || b.First >= writes {
			t.Errorf("batch is %+v", b)
		}
	}
	if sum != writes {
		t.Errorf("batches have %d writes; want %d", sum, writes)
	}
	for i := range writes {
		if r.Latency(i) <= 0 || r.Submit[i] <= 0 || r.Notified[i] > r.All() || (i > 0 && r.Queued[i] < r.Queued[i-1]) {
			t.Errorf("write %d: queued at %s in %s, notified at %s of %s", i, r.Queued[i], r.Submit[i], r.Notified[i], r.All())
		}
	}
}

func TestRunReportsAWriteThatFails(t *testing.T) {
	for _, e := range Engines {
		t.Run(string(e), func(t *testing.T) {
			f, err := os.Open(directFile(t, 8192).Name()) // not for writing
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			_, err = Run(t.Context(), e, f, 10, 512)
			if _, ok := errors.AsType[*UnsupportedError](err); ok {
				skip.ForDriver(t, string(e), err)
			}
			if !errors.Is(err, unix.EBADF) {
				t.Errorf("Run = %v; want EBADF", err)
			}
		})
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := Run(ctx, AIO, directFile(t, 8192), 10, 512); !errors.Is(err, enough) {
		if _, ok := errors.AsType[*UnsupportedError](err); !ok {
			t.Errorf("Run = %v; want the cause of the end", err)
		}
	}
}

// sulking is a queue whose reaper panics.
type sulking struct{}

func (sulking) submit(int) error                  { return nil }
func (sulking) reap(func(i int, res int64)) error { panic("out of luck") }
func (sulking) close() error                      { return nil }

// TestPanicIsTheCallers checks that a panic of the reaping goroutine, from which the caller could
// not recover, becomes a panic of the caller.
func TestPanicIsTheCallers(t *testing.T) {
	defer func() {
		if p := recover(); p != "out of luck" {
			t.Errorf("recover = %v; want the reaper's panic", p)
		}
	}()
	b := &burst{queue: sulking{}, Result: newResult(3), size: 1}
	t.Errorf("perform = %v; want a panic", b.perform(t.Context()))
}

func TestResult(t *testing.T) {
	r := &Result{Queued: []time.Duration{1, 2}, Notified: []time.Duration{9, 5}}
	if r.All() != 9 || r.Latency(1) != 3 {
		t.Errorf("All = %d, Latency(1) = %d; want 9, 3", r.All(), r.Latency(1))
	}
}
