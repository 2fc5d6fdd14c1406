package sched

import (
	"context"
	"io"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/sys"
)

// This file is about copies inside the kernel, from a file to a socket or to another file. The
// thread that asks for the copy waits for the disk unless the page cache has the bytes. So the
// bytes are fetched into the page cache first.

// CopyMost is the most bytes that one call copies to a socket, and that are fetched at once.
const CopyMost = 1 << 20 // 1 MiB

// fetchPart is how many of these bytes one read fetches.
const fetchPart = 128 << 10 // 128 KiB

var fetchBuffers = sync.Pool{New: func() any { return new([fetchPart]byte) }}

// Send sends the next bytes of f, CopyMost at most, with sendfile(2) to a socket that does not
// block. It returns how many bytes were sent, and why no more were: EAGAIN if the socket takes
// nothing, io.EOF at the end of the file, nil if there may be more to send at once. Other errors
// are the kernel's. The caller must use f (File.Use) during the call.
func (s *Scheduler) Send(f *File, socket int) (int, error) {
	f.PositionMu.Lock()
	defer f.PositionMu.Unlock()
	// With a permit, the thread may wait for the disk in sendfile. Without one, the bytes are
	// fetched into the page cache first, also if an earlier Send has fetched them: the page cache
	// may have dropped them since.
	p, ok := s.DeviceOf(f).Budget.TryAcquire(budget.Reads)
	if !ok && s.yieldInSend() {
		p, ok = s.DeviceOf(f).Budget.TryAcquire(budget.Reads)
	}
	if !ok && !s.fetchNext(f) {
		// AcquirePermit fails only when its context ends, and this one does not.
		p, _ = s.paths.AcquirePermit(context.Background(), budget.Reads, f)
	}
	defer p.Release()
	return s.send(socket, f.FD)
}

// yieldInSend yields, because goroutines whose calls have ended hold permits until they run again.
// It does nothing while the processors are taken (package pressure).
func (s *Scheduler) yieldInSend() bool {
	if s.paths.Engines.Processors.Taken(s.paths.Clock()) {
		return false
	}
	s.yield()
	return true
}

// send sends up to CopyMost bytes. After fewer it asks once more: the socket may be full, or the
// file may have ended.
func (s *Scheduler) send(socket, fd int) (n int, err error) {
	for n < CopyMost && err == nil {
		res := sys.Sendfile(socket, fd, CopyMost-n)
		switch {
		case res > 0:
			n += int(res)
		case res == 0:
			err = io.EOF
		case res != eintr:
			err = syscall.Errno(-res)
		}
	}
	s.Copied(int64(n))
	return n, err
}

// UsePosition calls do while no other operation uses f's position. Do may use the position and may
// wait for something other than a disk. Before that, UsePosition fetches the next bytes of f,
// CopyMost at most, into the page cache, and calls fetched. The caller must use f (File.Use) until
// fetched is called.
func (s *Scheduler) UsePosition(f *File, fetched, do func()) {
	f.PositionMu.Lock()
	defer f.PositionMu.Unlock()
	s.fetchNext(f)
	fetched()
	do()
}

// Copied counts n bytes that the kernel has copied. It does nothing if n is not positive.
func (s *Scheduler) Copied(n int64) {
	if n > 0 {
		s.paths.Counters.Copied(n)
	}
}

// fetchNext reads the next CopyMost bytes of f into the page cache, unless they are there. It
// reports whether they are, as far as it can know.
func (s *Scheduler) fetchNext(f *File) (cached bool) {
	pos, ok := sys.Tell(f.FD)
	if !ok || !f.CanLook.Load() {
		return false
	}
	end := pos + CopyMost
	if size, ok := sys.FileSize(f.FD); ok && size > pos {
		end = min(end, size)
	}
	// The first and the last byte are enough: pages come in from front to back, and are
	// dropped in that order. One look is enough for both in one page (of at least 4 KiB).
	b := fetchBuffers.Get().(*[fetchPart]byte)
	defer fetchBuffers.Put(b)
	cachedAt := func(off int64) bool { return s.paths.Peek(f, b[:1], off) >= 0 }
	if cachedAt(pos) && (pos^(end-1) < 4<<10 || cachedAt(end-1)) {
		return true
	}
	for off := pos; off < pos+CopyMost; off += fetchPart {
		if _, err := s.ReadAt(context.Background(), f, b[:], off); err != nil {
			break // the end of the file, or an error that sendfile meets again
		}
	}
	return f.CanLook.Load()
}
