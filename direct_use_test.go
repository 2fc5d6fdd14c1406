package sluice_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
)

// TestDirectAllocs makes aligned calls.
func TestDirectAllocs(t *testing.T) {
	skipUnderRace(t)
	eachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, err := s.CreateDirect(filepath.Join(dir, "file"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b := alignedBytes(4 * pageSize)
		if _, err := f.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
		noAllocs(t, "ReadAt", func() error { _, err := f.ReadAt(b, 0); return err })
		noAllocs(t, "WriteAt", func() error { _, err := f.WriteAt(b, 0); return err })
		noAllocs(t, "ReadAt at 1", func() error { _, err := f.ReadAt(b[:100], 1); return err })
		noAllocs(t, "WriteAt at 1", func() error { _, err := f.WriteAt(b[:100], 1); return err })
	})
}

// TestDirectContext ends the context of a write that waits for another's of
// the same block, before and while it waits.
func TestDirectContext(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *holding) {
		f, err := s.CreateDirect(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(f.Explain(), "direct") {
			t.Skip(f.Explain())
		}
		b := alignedBytes(pageSize)
		first := make(chan error)
		go func() {
			_, err := f.WriteAt(b, 0)
			first <- err
		}()
		d.wait(t, s, 1)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		for _, ctx := range []context.Context{ended, soon} {
			if n, err := f.WriteAtContext(ctx, b[:10], 5); n != 0 || !errors.Is(err, ctx.Err()) || ctx.Err() == nil {
				t.Errorf("WriteAtContext = %d, %v; want 0, %v", n, err, ctx.Err())
			}
		}
		if n, err := f.ReadAtContext(ended, b, 0); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("ReadAtContext = %d, %v", n, err)
		}
		if err := f.SyncContext(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("SyncContext = %v", err)
		}
		d.release(t)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

// TestDirectForgotten leaves DirectFiles to the garbage collector: their
// descriptors are closed, and what was kept for them by the file is forgotten.
func TestDirectForgotten(t *testing.T) {
	eachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		for i := range 10 {
			f, err := s.CreateDirect(filepath.Join(dir, fmt.Sprint(i)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(twenty), 3); err != nil {
				t.Fatal(err)
			}
		}
		waitFor(t, "the files to be forgotten", func() bool {
			runtime.GC()
			return sluice.Inodes() == 0
		})
	})
}
