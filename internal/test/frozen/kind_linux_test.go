package frozen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// Hazard: an operation asks a file system what it is, by statfs(2), and its server does not answer.
// Then a ring's leader waits, or a goroutine that only starts a Transfer. Guard: operations do not
// ask a server.
func TestServerIsNotAskedForItsKind(t *testing.T) {
	for name, read := range map[string]func(t *testing.T, s *sluice.Scheduler, buffered, direct *sluice.File){
		"small read": readSome(testenv.PageSize),
		"large read": readSome(64 << 10),
		"limits":     transferWithLimits,
	} {
		for _, driver := range testenv.Drivers {
			t.Run(name+"/"+driver, func(t *testing.T) {
				of := t.TempDir()
				name := filepath.Join(testenv.MountFUSE(t, of, "notes"), "f")
				err := os.WriteFile(name, make([]byte, coldSize), 0o600)
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				buffered, bufferedErr := s.Open(name)
				direct, directErr := s.OpenFile(name, os.O_RDWR|sys.O_DIRECT, 0)
				if err := errors.Join(err, bufferedErr, directErr); err != nil {
					t.Fatal(err)
				}
				defer buffered.Close()
				defer direct.Close()
				note := filepath.Join(of, testenv.StatfsNote)
				if err := os.Remove(note); err != nil {
					t.Fatal("package os has not asked, to open a file: ", err)
				}
				read(t, s, buffered, direct)
				if _, err := os.Stat(note); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the file system was asked for its kind (%v)", err)
				}
			})
		}
	}
}

// readSome returns a test that reads n bytes.
func readSome(n int) func(t *testing.T, s *sluice.Scheduler, buffered, direct *sluice.File) {
	return func(t *testing.T, _ *sluice.Scheduler, buffered, direct *sluice.File) {
		for _, f := range []*sluice.File{buffered, direct} {
			if _, err := f.ReadAt(testenv.AlignedBytes(n), 0); err != nil {
				t.Error(err)
			}
		}
	}
}

// transferWithLimits starts Transfers whose class has limits: they do not look into the page cache
// before they have their tickets.
func transferWithLimits(t *testing.T, s *sluice.Scheduler, buffered, direct *sluice.File) {
	c := testenv.Class(t, s, "limited", sluice.ClassOptions{IOPS: 100})
	buffered, err := buffered.WithClass(c)
	direct, directErr := direct.WithClass(c)
	if err := errors.Join(err, directErr); err != nil {
		t.Fatal(err)
	}
	core := testenv.CoreOf(s)
	files := []*sluice.File{buffered, direct}
	transfers := make([]sched.Transfer, 3*len(files))
	for i := range transfers {
		f := testenv.FileCore(files[i%len(files)])
		if !f.Use() {
			t.Fatal("the file is closing")
		}
		core.StartRead(&transfers[i], f, testenv.AlignedBytes(testenv.PageSize), 0, 0)
		f.Done()
	}
	for i := range transfers {
		if n, err := transfers[i].Wait(context.Background()); n != testenv.PageSize || err != nil {
			t.Errorf("Wait = %d, %v", n, err)
		}
	}
}
