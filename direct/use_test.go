package direct_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectAllocs checks that reads and writes do not allocate.
func TestDirectAllocs(t *testing.T) {
	testenv.SkipUnderRace(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := create(t, s, dir)
		b := testenv.AlignedBytes(4 * testenv.PageSize)
		if _, err := f.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
		allocs.None(t, "ReadAt", func() error { _, err := f.ReadAt(b, 0); return err })
		allocs.None(t, "WriteAt", func() error { _, err := f.WriteAt(b, 0); return err })
		allocs.None(t, "ReadAt at 1", func() error { _, err := f.ReadAt(b[:100], 1); return err })
		allocs.None(t, "WriteAt at 1", func() error { _, err := f.WriteAt(b[:100], 1); return err })
	})
}

// TestDirectContext ends the context of a write that waits for another write of the same block,
// before and during the wait.
func TestDirectContext(t *testing.T) {
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		f, err := direct.OpenOn(s, filepath.Join(t.TempDir(), "file"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(f.Explain(), "direct") {
			skip.For(t, skip.Direct, f.Explain())
		}
		b := testenv.AlignedBytes(testenv.PageSize)
		first := make(chan error)
		go func() {
			_, err := f.WriteAt(b, 0)
			first <- err
		}()
		d.Wait(t, s, 1)
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
		d.Release(t)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

// TestDirectForgotten leaves Files to the garbage collector. It closes their descriptors, and the
// shared state of the file is forgotten.
func TestDirectForgotten(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		for i := range 10 {
			f, err := direct.OpenOn(s, filepath.Join(dir, fmt.Sprint(i)), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(testenv.Twenty), 3); err != nil {
				t.Fatal(err)
			}
		}
		testenv.WaitFor(t, "the files to be forgotten", func() bool {
			runtime.GC()
			return directio.Inodes() == 0
		})
	})
}
