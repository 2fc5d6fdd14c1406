package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// PrivatePosition notes that nobody but this File can move the file's position: the descriptor was opened for
// it, and was given to nobody. Must be called before the first operation. Other Files are taken to share theirs.
func (f *File) PrivatePosition() { f.private = true }

// SharePosition notes that others may move the position from now on. It must be called before the descriptor
// is given out. A Read that looks at the position has reserved the rest of its bytes when SharePosition
// returns. SharePosition does not wait for the transfer of that rest.
func (f *File) SharePosition() {
	f.privateMu.Lock()
	defer f.privateMu.Unlock()
	f.private = false
}

// readPrivate is reserved for a buffered Read. If the position is private, it first looks into the page cache
// at the position. If all of b is there, that is one system call. The caller holds f.position.
func (s *Scheduler) readPrivate(ctx context.Context, f *File, b []byte) int32 {
	b = b[:min(len(b), sys.MaxRW)]
	l := s.lookAtPosition(f, b)
	switch {
	case !l.looked:
		return s.reserved(ctx, driver.Read, f, b)
	case l.done:
		return l.found
	case !l.reserved: // past the end of a device
		return after(l.found, s.blockingCall(ctx, s.hook.Now(), driver.Read, f, b[l.found:], atPosition))
	}
	n := s.readRest(ctx, f, b, l.end-int64(len(b)), l.found)
	f.giveBack(driver.Read, b, l.end, n)
	return n
}

// positionLook is the result of lookAtPosition.
type positionLook struct {
	looked   bool  // false if the position may be shared. All else is zero then.
	done     bool  // found is the result of the Read
	found    int32 // the number of bytes found, not negative
	reserved bool  // the position was moved over the rest of the bytes, to end
	end      int64
}

// lookAtPosition reads what the page cache has at the position, if that is private, and moves the position over
// the rest of b. Both are done under privateMu, so that no reader elsewhere comes in between. Neither waits for a
// disk.
func (s *Scheduler) lookAtPosition(f *File, b []byte) (l positionLook) {
	f.privateMu.Lock()
	defer f.privateMu.Unlock()
	if !f.private {
		return l
	}
	l.looked = true
	res := s.readCached(f, b, atPosition)
	l.found = max(res, 0)
	if l.done = int(res) == len(b); l.done {
		return l
	}
	if l.done = res == 0 && s.knowsEnd; l.done {
		s.noteEnd(f, len(b), atPosition)
		return l
	}
	l.end, l.reserved = sys.Advance(f.fd, int64(len(b))-int64(l.found))
	return l
}

// readRest reads b, whose first found bytes the page cache had, at off.
func (s *Scheduler) readRest(ctx context.Context, f *File, b []byte, off int64, found int32) int32 {
	var n int32
	if found > 0 {
		n = s.readAtOnce(ctx, f, b, off, found)
	} else {
		n = s.readUncached(ctx, f, b, off)
	}
	if n <= 0 || int(n) == len(b) {
		return n
	}
	return after(n, s.readReserved(ctx, f, b[n:], off+int64(n)))
}

// after is the result of a read of which n bytes were read before and then a transfer gave res. An error
// after the first bytes is left to the next Read.
func after(n, res int32) int32 {
	if n == 0 {
		return res
	}
	return n + max(res, 0)
}
