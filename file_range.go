package sluice

import (
	"os"

	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/handle"
)

// Advice is a hint on how a part of a file will be used.
type Advice uint8

// The kinds of Advice, with the numbers of posix_fadvise(2).
const (
	AdviceNormal     Advice = iota // nothing is known; ends earlier advice
	AdviceSequential               // read from lower to higher offsets
	AdviceRandom                   // read in random order
	AdviceWillNeed                 // read soon
	AdviceDontNeed                 // not read any more: the page cache drops it
)

// The methods below are calls that databases make on parts of a file. The comment of File has the
// rules for their arguments.

// Allocate reserves room for the n bytes at off, so that later writes there cannot run out of space
// (fallocate(2), FALLOC_FL_KEEP_SIZE). The size of the file does not change. On a file system
// without preallocation the error is errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	return f.onRange("allocate", off, n, func() error { return f.h.Allocate(off, n) })
}

// PunchHole makes the n bytes at off zeros and gives their blocks back to the file system
// (fallocate(2), FALLOC_FL_PUNCH_HOLE). The size of the file does not change. On a block device off
// and n must be multiples of its logical sector. On a file system without holes the error is
// errors.ErrUnsupported.
func (f *File) PunchHole(off, n int64) error {
	return f.onRange("punchhole", off, n, func() error { return f.h.PunchHole(off, n) })
}

// Advise tells the kernel how the n bytes at off will be used (posix_fadvise(2)); n 0 means up to
// the end of the file. The kernel may ignore it. AdviceWillNeed reads at most the device's
// read-ahead; [File.Prefetch] reads all n bytes. AdviceDontNeed keeps pages that are not on the
// disk yet: call Sync first. On a system without advice the error is errors.ErrUnsupported.
func (f *File) Advise(off, n int64, a Advice) error {
	if f == nil {
		return os.ErrInvalid
	}
	return f.h.OnRange("advise", off, n, func() error {
		return f.h.Error("advise", f.h.PlainRead(func() error { return f.h.Advise(off, n, uint8(a)) }))
	})
}

// SyncRange starts to write the n bytes at off to the disk (sync_file_range(2)); n 0 means up to
// the end of the file. It commits nothing and does not wait for the device. Call it every few MiB
// of a long file: the Sync at the end has less to do. Once a Sync has failed, SyncRange returns
// that error. It does nothing on systems other than Linux.
func (f *File) SyncRange(off, n int64) error {
	return f.onRange("syncrange", off, n, func() error { return f.h.Sched.Core.SyncRange(f.h.IO, off, n) })
}

// onRange calls do, which may make several plain calls, and keeps the file open until do returns.
func (f *File) onRange(op string, off, n int64, do func() error) error {
	if f == nil {
		return os.ErrInvalid
	}
	return f.h.OnRange(op, off, n, func() error { return f.h.Error(op, f.h.PlainCall(do)) })
}

const (
	// prefetchPiece is the most bytes that one read-ahead call is sure to read: devices rarely have
	// a smaller read-ahead. The kernel cuts off the rest (mm/readahead.c, force_page_cache_ra).
	prefetchPiece = 128 << 10 // 128 KiB
	// prefetchNow is how many bytes the caller's goroutine asks for: so few requests that a device
	// takes them without a wait.
	prefetchNow = 1 << 20 // 1 MiB
	// prefetchesMost is how many goroutines ask for more bytes at a time.
	prefetchesMost = 64
)

// Prefetch starts to read the n bytes at off into the page cache, and does not wait for the data; n
// 0 means up to the end of the file. It is a hint: failures show in later reads. Under load, a long
// Prefetch may wait for room in the device's queue, or do nothing. On a system without advice the
// error is errors.ErrUnsupported.
func (f *File) Prefetch(off, n int64) error {
	if f == nil {
		return os.ErrInvalid
	}
	var on *device.Device
	err := f.h.OnRange("prefetch", off, n, func() error {
		on = f.h.Sched.Core.DeviceOf(f.h.IO)
		return nil
	})
	if err != nil {
		return err
	}
	core := f.h.Sched.Core
	// A call that waits for its permit does not use the file, so Close does not wait for it.
	wait := func(do func()) bool { return core.WithReadPermit(on, true, do) }
	try := func(do func()) bool { return core.WithReadPermit(on, false, do) }
	left, now, err := f.prefetchFirst(off, n, try)
	if err != nil {
		return err
	}
	if !now {
		f.prefetchLater(func() {
			if left, _, err := f.prefetchFirst(off, n, wait); err == nil {
				f.prefetch(off+prefetchPiece, left, wait)
			}
		})
		return nil
	}
	off += prefetchPiece
	if left <= prefetchNow {
		done := f.prefetch(off, left, try)
		off, left = off+done, left-done
	}
	if left > 0 && !f.prefetchLater(func() { f.prefetch(off, left, wait) }) {
		f.prefetch(off, left, wait)
	}
	return nil
}

// prefetchFirst asks for the first piece of the n bytes at off. try lends it a permit. It returns
// how many bytes are left; now is false if try had no permit.
func (f *File) prefetchFirst(off, n int64, try func(do func()) bool) (left int64, now bool, err error) {
	now = try(func() {
		err = f.h.OnRange("prefetch", off, n, func() error {
			size, err := handle.Size(f.h.OS)
			if err != nil {
				return f.h.Error("prefetch", err)
			}
			if rest := max(0, size-off); n == 0 || n > rest {
				n = rest
			}
			first := min(n, prefetchPiece)
			if left = n - first; first == 0 {
				return nil
			}
			return f.h.Error("prefetch", f.h.Advise(off, first, uint8(AdviceWillNeed)))
		})
	})
	return left, now, err
}

// prefetch asks for n bytes in pieces, each with a permit from try. Without a permit it returns how
// many bytes it has asked for. If an error occurs, or the file or its Scheduler is closed, it
// returns n: nothing more is to be read.
func (f *File) prefetch(off, n int64, try func(do func()) bool) (done int64) {
	for ; done < n; done += prefetchPiece {
		var err error
		now := try(func() {
			at, piece := off+done, min(n-done, prefetchPiece)
			err = f.h.OnRange("prefetch", at, piece, func() error { return f.h.Advise(at, piece, uint8(AdviceWillNeed)) })
		})
		switch {
		case err != nil || f.h.Sched.Usable() != nil:
			return n
		case !now:
			return done
		}
	}
	return n
}

// prefetchLater starts a goroutine that calls do; Close of the Scheduler waits for it. It returns
// false if prefetchesMost goroutines run already.
func (f *File) prefetchLater(do func()) bool {
	s := f.h.Sched
	if s.Prefetches.Add(1) > prefetchesMost || s.Acquire() != nil {
		s.Prefetches.Add(-1)
		return false
	}
	go func() {
		defer s.Release()
		defer s.Prefetches.Add(-1)
		do()
	}()
	return true
}
