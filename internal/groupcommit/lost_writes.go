package groupcommit

import (
	"context"
	"math"
	"slices"
	"syscall"

	"github.com/sluiceio/sluice/internal/probe"
)

// LostWrites finds lost writes to a file that was opened with O_SYNC or O_DSYNC. The kernel follows
// each write to such a file by an fsync of its pages, and reports a lost write-back once to each
// description (see Syncer). If two concurrent writes are lost, one may get the error of both, and
// the other returns success. So a write that has succeeded waits for the writes, fsyncs and
// fdatasyncs of the description that run at that moment, and fails if one of them has lost data.
//
// With O_DIRECT a write returns the device's error itself, unless the file system makes it through
// the page cache all the same. Each file system may do so: btrfs with checksums, ext4 and xfs where
// pages of the file are in use and cannot be dropped. Only a block device has no such pages.
//
// A nil *LostWrites does nothing: the file needs none.
type LostWrites struct {
	mu      probe.Mutex
	last    uint64   // number of the call that began last
	running []uint64 // numbers of the calls that run, ascending
	count   int      // how many calls have lost data
	err     int32    // the result of the last of them
	// ended is closed when a call ends. It is nil while no write waits for that.
	ended chan struct{}
}

// Unconfirmed is the result of a write that was made, and whose context ended too early: calls
// beside it were still running, and may have lost data. No errno has this value.
const Unconfirmed = math.MinInt32 + 1

// Begin records that a call begins, and returns its number.
func (l *LostWrites) Begin() (call uint64) {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.running = append(l.running, l.last)
	return l.last
}

// End records that a call has ended with res.
func (l *LostWrites) End(call uint64, res int32) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i, _ := slices.BinarySearch(l.running, call)
	l.running = slices.Delete(l.running, i, i+1)
	if mayLose(res) {
		l.count++
		l.err = res
	}
	if l.ended != nil {
		close(l.ended)
		l.ended = nil
	}
}

// Mark returns the value to pass to Confirm. It is called when a write starts.
func (l *LostWrites) Mark() int {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// Confirm returns the final result of a write that has ended with res. A write that succeeded waits
// for the calls that run now. It fails with the result of the last call that has lost data since
// mark, if there is one. If ctx ends first the result is Unconfirmed.
func (l *LostWrites) Confirm(ctx context.Context, mark int, res int32) int32 {
	if l == nil || res <= 0 {
		return res
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.last
	for l.count == mark && len(l.running) > 0 && l.running[0] <= last {
		if !l.await(ctx) {
			return Unconfirmed
		}
	}
	if l.count != mark {
		return l.err
	}
	return res
}

// await waits until a call ends. It returns false if ctx ends first. It must be called
// with mu held, and releases mu while it waits.
func (l *LostWrites) await(ctx context.Context) bool {
	if l.ended == nil {
		l.ended = make(chan struct{})
	}
	ended := l.ended
	l.mu.Unlock()
	defer l.mu.Lock()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// mayLose reports whether a write or an fsync that ended with res may have lost data, its own or
// another call's. ENOSPC and EDQUOT may: thin devices and network file systems find out late.
func mayLose(res int32) bool {
	if res >= 0 {
		return false
	}
	switch e := syscall.Errno(-res); e {
	case syscall.EINTR, syscall.EAGAIN, syscall.ECANCELED, syscall.EFBIG, syscall.EFAULT, syscall.ENOMEM, syscall.EPERM:
		return false // nothing was written
	default:
		return LostData(e)
	}
}
