package sched

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// writeback is the code of the call that starts the write-back of a file's dirty
// pages and does not wait for it. It is the scheduler's own: no driver knows it.
const writeback = driver.NumCodes

const (
	// muchWritten is how many bytes in the page cache keep the disk busy for long
	// enough that a Sync which waits for its group starts their write-back.
	muchWritten = 16 << 10 // 16 KiB
	// hugeWritten is how many bytes in the page cache make two fsyncs at a time
	// better for two Syncs than one fsync for both.
	hugeWritten = 256 << 10 // 256 KiB
)

// beginWrite records that a transfer begins, if it is a write. Its result must be
// passed to endWrite.
func (f *File) beginWrite(code driver.Code) (call uint64) {
	if code == driver.Write {
		call = f.losses.begin()
	}
	return call
}

// endWrite records that the transfer has ended with res.
func (f *File) endWrite(code driver.Code, call uint64, res int32) {
	if code == driver.Write {
		f.losses.end(call, res)
		f.noteWritten(int(res))
	}
}

// noteWritten counts the n bytes of a buffered write, if Syncs have been concurrent.
func (f *File) noteWritten(n int) {
	if n > 0 && f.syncer.concurrent.Load() && f.flags&driver.Direct == 0 {
		f.unsynced.Add(int64(n))
	}
}

// startWriteback starts the write-back of the bytes that no fsync covers yet, so that
// the disk need not wait until the running fsync of f ends and the next one starts.
// It is only a help: the next fsync still finds out whether the pages were written.
// sync_file_range(2) without its waiting flags does not take a write-back error away
// from that fsync.
func (s *Scheduler) startWriteback(f *File) {
	if f.unsynced.Load() >= muchWritten && f.unsynced.Swap(0) >= muchWritten && s.limiter.tryAcquire() {
		start := s.hook.Now()
		res := s.call(writeback, f.fd, nil, 0)
		s.hook.Call(start, record.Call{Batch: 1, Res: res, Syscall: record.SysSyncFileRange})
		s.limiter.release(nil)
		f.syncer.noteWriteback(res)
	}
}

// noteWriteback records the result of startWriteback's call. If the file system could
// not start the write-back, it may have given up the pages. An fsync would have
// reported that, but now it finds nothing to write.
func (y *syncer) noteWriteback(res int32) {
	switch err := syscall.Errno(-res); err {
	case syscall.EIO, syscall.ENOSPC, syscall.EDQUOT: // a sandbox may return others
		y.mu.Lock()
		defer y.mu.Unlock()
		y.noteError(err)
	}
}

// SyncRange starts the write-back of the dirty pages of the n bytes at off, and does not
// wait for it. If n is 0 these reach to the end of the file. The error is that of an
// earlier fsync that lost data, or of the call, where the file system could not begin.
// It is called by way of Block.
func (s *Scheduler) SyncRange(f *File, off, n int64) error {
	y := &f.syncer
	y.mu.Lock()
	err := y.failed
	y.mu.Unlock()
	if err != nil {
		return err
	}
	start := s.hook.Now()
	res := s.startRange(f.fd, off, n)
	s.hook.Call(start, record.Call{Batch: 1, Res: res, Syscall: record.SysSyncFileRange})
	y.noteWriteback(res)
	if res < 0 && res != -int32(syscall.ENOSYS) { // as in a sandbox: the next Sync has more to write
		return syscall.Errno(-res)
	}
	return nil
}
