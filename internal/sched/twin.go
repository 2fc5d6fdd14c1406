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
// Two at a time are worth it for two goroutines that write much: each one's
// transfer is then under way while the other writes. More goroutines do
// better in groups.
type twin struct {
	busy bool // an fsync is made with it, or it is being opened. Under syncer.mu
	// fd is 0 before the first use, and negative if there can be none. Who has
	// set busy writes it; so does Close, when nobody else is there.
	fd int
	// forgotten closes fd when the File is collected unclosed.
	forgotten runtime.Cleanup
}

// pairs tells whether Syncs of f are better made by two fsyncs at a time than
// in groups. Under mu.
func (y *syncer) pairs(f *File) bool {
	return y.muster.expected <= 2 && y.twin.fd >= 0 && f.unsynced.Load() >= hugeWritten
}

// syncTwin makes an fsync beside the one that runs; or, if there can be no
// twin, waits for a group's.
func (s *Scheduler) syncTwin(ctx context.Context, f *File) error {
	y := &f.syncer
	if y.twin.fd == 0 {
		y.twin.open(f, s.reopen)
	}
	if y.twin.fd > 0 {
		err := s.fsync(f, y.twin.fd)
		y.mu.Lock()
		defer y.mu.Unlock()
		y.note(err)
		y.twin.busy = false
		return err
	}
	y.mu.Lock()
	y.twin.busy = false
	y.mu.Unlock()
	return s.Sync(ctx, f)
}

// open opens the twin of f, if there can be one.
func (t *twin) open(f *File, reopen func(int) int) {
	if t.fd = reopen(f.fd); t.fd > 0 {
		t.forgotten = runtime.AddCleanup(f, sys.Close, t.fd)
	}
}

// close closes the twin. No Sync is in progress.
func (t *twin) close() {
	if t.fd > 0 {
		t.forgotten.Stop()
		sys.Close(t.fd)
	}
	t.fd = -1
}
