package sched

import (
	"context"
	"runtime"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// secondFD is a second descriptor of a file, with an open file description of its
// own, for a second fsync beside the one that runs. It must be another description:
// the kernel reports a failed write-back once to each (fsync(2), NOTES). Of two
// fsyncs on one description the first to look would take the error, and the other
// might return success for data of the same lost write-back.
//
// A description never learns of an error that was reported, to anyone, before it
// was opened. So the second descriptor is opened before an fsync of the File's own
// description starts, and is used only once that fsync has succeeded: it would have
// reported an earlier loss.
//
// Two fsyncs at a time pay off for two goroutines that write much: the data of one
// is transferred while the other writes. More goroutines do better in groups:
// docs/decisions/0005-sync.md.
type secondFD struct {
	// busy: an fsync runs on fd. serves: an fsync may run on fd. Both are
	// guarded by syncer.mu.
	busy, serves bool
	// fd is 0 before it is opened, and negative if there can be none. Written
	// under syncer.mu by the goroutine that has set syncer.running; by Close,
	// once no operation is left; by ForeignFile.Set.
	fd int
	// forgotten closes fd when the File and its views are collected without Close.
	forgotten runtime.Cleanup
}

// usesSecondFD reports whether Syncs of f are better made by two fsyncs at a time
// than in groups. It must be called with mu held.
func (y *syncer) usesSecondFD(f *File) bool {
	return y.commitDelay.expected <= 2 && y.secondFD.fd >= 0 && f.unsynced.Load() >= hugeWritten
}

// openSecondFD opens f's second descriptor, if there can be one. The caller has set
// running and has not started its fsync.
func (s *Scheduler) openSecondFD(f *File) {
	fd := s.reopen(f.fd)
	y := &f.syncer
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.secondFD.fd = fd; fd > 0 {
		y.secondFD.forgotten = runtime.AddCleanup(f.openFile, sys.Close, fd)
	}
}

// commitSecondFD makes an fsync or fdatasync on the second descriptor, beside the
// fsync that runs.
func (s *Scheduler) commitSecondFD(ctx context.Context, asked int64, code driver.Code, f *File) error {
	y := &f.syncer
	w, err := s.chooseSyncRoute(ctx, f)
	entered := err == nil
	if entered {
		err = s.fsync(w, asked, code, f, y.secondFD.fd)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if entered {
		y.noteError(err)
	}
	y.secondFD.busy = false
	return err
}

// close closes the second descriptor. No Sync may be in progress.
func (t *secondFD) close() {
	if t.fd > 0 {
		t.forgotten.Stop()
		sys.Close(t.fd)
	}
	t.fd = -1
}
