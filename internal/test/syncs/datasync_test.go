package syncs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

type syncer interface {
	Sync() error
	Datasync() error
}

// TestDatasync checks that Datasync returns the same as Sync, for Files and direct.Files, for their
// views, and in a Batch.
func TestDatasync(t *testing.T) {
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		open := func(name string, flag int) *sluice.File {
			f, err := s.OpenFile(name, flag, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		}
		openDirect := func(flag int) *direct.File {
			f, err := direct.OpenOn(s, filepath.Join(dir, "direct"), flag|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		}
		c := testenv.Class(t, s, "class", sluice.ClassOptions{Weight: 5})
		view, err1 := open(filepath.Join(dir, "viewed"), os.O_RDWR|os.O_CREATE).WithClass(c)
		directView, err2 := openDirect(os.O_RDWR).WithClass(c)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		closed, directClosed := open(filepath.Join(dir, "closed"), os.O_RDWR|os.O_CREATE), openDirect(os.O_RDWR)
		closed.Close()
		directClosed.Close()
		for name, f := range map[string]syncer{
			"file":            open(filepath.Join(dir, "file"), os.O_RDWR|os.O_CREATE),
			"to be read":      open(filepath.Join(dir, "file"), os.O_RDONLY|os.O_CREATE),
			"directory":       open(dir, os.O_RDONLY),
			"device":          open(os.DevNull, os.O_RDWR),
			"view":            view,
			"closed":          closed,
			"nil":             (*sluice.File)(nil),
			"direct":          openDirect(os.O_RDWR),
			"direct, to read": openDirect(os.O_RDONLY),
			"direct view":     directView,
			"direct, closed":  directClosed,
			"direct, nil":     (*direct.File)(nil),
		} {
			if got, want := testenv.Describe(f.Datasync(), dir), testenv.Describe(f.Sync(), dir); got != want {
				t.Errorf("Datasync of %s = %s; Sync = %s", name, got, want)
			}
		}
		if n := c.Stats().Operations; n < 4 {
			t.Errorf("%d operations of the class; want 4 at least", n)
		}
	})
}
