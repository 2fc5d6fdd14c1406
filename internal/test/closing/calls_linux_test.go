package closing

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// closeCalls are calls without a transfer that wait for a permit.
var closeCalls = map[string]func(s *sluice.Scheduler, f *sluice.File) error{
	"Truncate": func(_ *sluice.Scheduler, f *sluice.File) error { return f.Truncate(10) },
	"Chmod":    func(_ *sluice.Scheduler, f *sluice.File) error { return f.Chmod(0o600) },
	"Chown":    func(_ *sluice.Scheduler, f *sluice.File) error { return f.Chown(-1, -1) },
	"Seek": func(_ *sluice.Scheduler, f *sluice.File) error {
		_, err := f.Seek(0, unix.SEEK_DATA)
		return err
	},
	"Advise":    func(_ *sluice.Scheduler, f *sluice.File) error { return f.Advise(0, 0, sluice.AdviceDontNeed) },
	"SyncRange": func(_ *sluice.Scheduler, f *sluice.File) error { return f.SyncRange(0, 0) },
}

// TestCloseWaitsForCalls closes a file while one of its calls waits for a permit. Close must return
// after the call, which succeeds. A later call must not wait for a permit.
func TestCloseWaitsForCalls(t *testing.T) {
	hang.Watch(t)
	for name, call := range closeCalls {
		t.Run(name, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: "pool", Threads: 1})
			f := testenv.TextOn(t, s, t.TempDir())
			release := testenv.Occupy(s)
			defer release()
			called, closed := make(chan error, 1), make(chan error, 1)
			go func() { called <- call(s, f) }()
			hang.Eventually(func() bool { return testenv.Waiting(s) == 1 })
			go func() { closed <- f.Close() }()
			hang.Eventually(func() bool { return testenv.Closing(f) })
			for range 100 {
				select {
				case err := <-closed:
					t.Fatalf("Close = %v before the call has ended", err)
				default:
					testenv.Yield()
				}
			}
			if err := call(s, f); !errors.Is(err, os.ErrClosed) {
				t.Errorf("a second one during Close = %v; want os.ErrClosed", err)
			}
			release()
			if err := errors.Join(<-called, <-closed); err != nil {
				t.Error(err)
			}
		})
	}
}
