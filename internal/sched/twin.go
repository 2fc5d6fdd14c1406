package sched

import (
	"context"
	"runtime"

	"github.com/sluiceio/sluice/internal/sys"
)

// twin is a second open file description of a file, for a second fsync beside
// the one that runs. It must be another description: the kernel reports a
// failed write-back once to each (fsync(2), NOTES), so that of two fsyncs on
// one description the first to look takes the error, and the other might
// return success for data that is in the same lost write-back.
//
// A description knows nothing of an error that was reported, to anyone, before
// it was opened. So the twin is opened before an fsync of the File's own
// description starts, and serves once that has succeeded: what was lost
// earlier, that fsync would have told.
//
// Two at a time are worth it for two goroutines that write much: each one's
// transfer is then under way while the other writes. More goroutines do
// better in groups.
type twin struct {
	// busy: an fsync is made with it. serves: one may be. Both under
	// syncer.mu.
	busy, serves bool
	// fd is 0 before it is opened, and negative if there can be none. Written
	// under syncer.mu by who has set syncer.running; by Close, when nobody
	// else is there.
	fd int
	// forgotten closes fd when the File, and its views, are collected unclosed.
	forgotten runtime.Cleanup
}

// pairs tells whether Syncs of f are better made by two fsyncs at a time than
// in groups. Under mu.
func (y *syncer) pairs(f *File) bool {
	return y.muster.expected <= 2 && y.twin.fd >= 0 && f.unsynced.Load() >= hugeWritten
}

// openTwin opens f's twin, if there can be one. The caller has set running and
// has not started its fsync.
func (s *Scheduler) openTwin(f *File) {
	fd := s.reopen(f.fd)
	y := &f.syncer
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.twin.fd = fd; fd > 0 {
		y.twin.forgotten = runtime.AddCleanup(f.openFile, sys.Close, fd)
	}
}

// syncTwin makes an fsync beside the one that runs.
func (s *Scheduler) syncTwin(ctx context.Context, asked int64, f *File) error {
	y := &f.syncer
	e, err := s.admitSync(ctx, f)
	entered := err == nil
	if entered {
		err = s.fsync(e, asked, f, y.twin.fd)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if entered {
		y.note(err)
	}
	y.twin.busy = false
	return err
}

// close closes the twin. No Sync is in progress.
func (t *twin) close() {
	if t.fd > 0 {
		t.forgotten.Stop()
		sys.Close(t.fd)
	}
	t.fd = -1
}
