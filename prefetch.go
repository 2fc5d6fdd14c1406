package sluice

import "github.com/sluiceio/sluice/internal/handle"

const (
	// prefetchPiece is the most that one call for read-ahead has the kernel read for certain:
	// the read-ahead of a device is rarely set to less. The kernel cuts off the rest
	// (mm/readahead.c, force_page_cache_ra).
	prefetchPiece = 128 << 10 // 128 KiB
	// prefetchNow is how much the caller itself asks for: few enough requests that a device
	// takes them without a wait.
	prefetchNow = 1 << 20 // 1 MiB
	// prefetchesMost is how many goroutines ask for more at a time. Beyond them the
	// caller does, and waits for the device.
	prefetchesMost = 64
)

// Prefetch has the system read the n bytes at off into the page cache, and does not wait for
// the device; n 0 means up to the end of the file. A read that comes later finds what has
// arrived. Prefetch is a hint: a failure of the device is reported by the read alone. Close
// does not wait for what has not begun. A direct.File has no Prefetch: its reads do not look
// into the page cache. Where the system takes no advice, the error is
// errors.ErrUnsupported.
//
// A call for many bytes goes on in a goroutine of its own. A Scheduler has a bounded number
// of these. A further call waits until the device has taken its requests.
func (f *File) Prefetch(off, n int64) error {
	var size int64
	err := f.onRange("prefetch", off, n, func() (err error) {
		size, err = handle.Size(f.h.OS)
		return err
	})
	if left := max(0, size-off); n == 0 || n > left {
		n = left
	}
	if err != nil || n == 0 {
		return err
	}
	first := min(n, prefetchPiece)
	if err := f.prefetchPiece(off, first); err != nil {
		return err
	}
	off, n = off+first, n-first
	if n <= prefetchNow || !f.prefetchLater(off, n) {
		f.prefetch(off, n)
	}
	return nil
}

// prefetchPiece asks for n bytes, at most a piece.
func (f *File) prefetchPiece(off, n int64) error {
	return f.onRange("prefetch", off, n, func() error { return f.h.Advise(off, n, uint8(AdviceWillNeed)) })
}

// prefetch asks for n bytes in pieces, until the file or its Scheduler is closed.
func (f *File) prefetch(off, n int64) {
	for ; n > 0; off, n = off+prefetchPiece, n-prefetchPiece {
		if f.h.Sched.Usable() != nil || f.prefetchPiece(off, min(n, prefetchPiece)) != nil {
			return
		}
	}
}

// prefetchLater starts a goroutine that asks for n bytes, which Close of the Scheduler
// waits for. It returns false if there are too many already.
func (f *File) prefetchLater(off, n int64) bool {
	s := f.h.Sched
	if s.Prefetches.Add(1) > prefetchesMost || s.Acquire() != nil {
		s.Prefetches.Add(-1)
		return false
	}
	go func() {
		defer s.Release()
		defer s.Prefetches.Add(-1)
		f.prefetch(off, n)
	}()
	return true
}
