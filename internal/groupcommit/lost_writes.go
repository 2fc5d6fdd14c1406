package groupcommit

import (
	"context"
	"math"
	"syscall"

	"github.com/sluiceio/sluice/internal/probe"
)

// LostWrites finds lost writes to a file that was opened with O_SYNC or O_DSYNC. Another call may
// get the error of a lost write (docs/decisions/0005-sync.md). So a write that has succeeded waits
// for the writes, fsyncs and fdatasyncs of the description that run at that moment, and fails if
// one of them has lost data.
//
// Writes with O_DIRECT wait, too. Btrfs with checksums makes them through the page cache. So do
// ext4 and xfs where pages of the file are in use and cannot be dropped. Only a block device has no
// such pages.
//
// A nil *LostWrites does nothing: the file needs none.
type LostWrites struct {
	mu    probe.Mutex
	calls calls
	count int   // how many calls have lost data
	err   int32 // the result of the last of them
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
	return l.calls.begin()
}

// End records that a call has ended with res.
func (l *LostWrites) End(call uint64, res int32) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if mayLose(res) {
		l.count++
		l.err = res
	}
	l.calls.end(call)
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
	for last := l.calls.last; l.count == mark && l.calls.runs(last); {
		if !l.calls.await(ctx, &l.mu) {
			return Unconfirmed
		}
	}
	if l.count != mark {
		return l.err
	}
	return res
}

// mayLose reports whether a write or an fsync that ended with res may have lost data, its own or
// another call's. ENOSPC and EDQUOT may: thin devices and network file systems find out late. So
// may ENOMEM, with which a device can fail a write-back.
func mayLose(res int32) bool {
	if res >= 0 {
		return false
	}
	switch e := syscall.Errno(-res); e {
	case syscall.EINTR, syscall.EAGAIN, syscall.ECANCELED, syscall.EFBIG, syscall.EFAULT, syscall.EPERM:
		return false // nothing was written
	default:
		return LostData(e)
	}
}
