package governor

import "sync/atomic"

// looks finds out whether plain calls wait at all. On a disk in memory, such as zram or pmem, the
// call itself does all the work: there the queue only adds to it, and the goroutines keep the
// processors as those that compute do. So now and then a plain call is looked at, whatever is in
// force. After calls that have waited, the next look comes later each time.
type looks struct {
	begun  atomic.Bool   // a look has begun, and the next one is not due yet
	next   atomic.Uint32 // when it is: a count of operations; 0 while one is due, or goes on
	inCall atomic.Bool   // see InCall
	// Of the goroutine that looks.
	score int
	pause uint32 // operations until the next look
}

const (
	// Operations between two looks. A look costs two system calls, 400 ns in all. If the call
	// waits, it also keeps a processor from others meanwhile.
	leastPause, afterWait, mostPause = 64, 1 << 10, 1 << 16
	// The plain calls do not wait if four of five in a row have not: a call that has waited counts
	// for as many as four that have not. Two in a row end it.
	waited, mostScore = 4, 8
)

// BeginLook reports whether the caller is to make its operation a plain call, and to look whether
// it waits. The caller then calls EndLook, or GiveUpLook if there was no call.
func (l *looks) BeginLook() bool { return !l.begun.Load() && l.begun.CompareAndSwap(false, true) }

// GiveUpLook ends a look that has shown nothing.
func (l *looks) GiveUpLook() { l.begun.Store(false) }

// EndLook notes whether a plain call had to wait.
func (g *Governor) EndLook(waits bool) {
	l := &g.looks
	if waits {
		l.score = max(0, l.score-waited)
		l.pause = min(max(4*l.pause, afterWait), mostPause)
	} else {
		l.score = min(l.score+1, mostScore)
		l.pause = leastPause
	}
	if inCall := l.score >= waited; inCall != l.inCall.Load() {
		l.inCall.Store(inCall)
		if !inCall {
			g.pause() // the epoch has seen nothing meanwhile
		}
	}
	l.next.Store(max(1, g.ops.Load()+l.pause))
}

// InCall reports whether plain calls do their work in the call, and do not wait.
func (l *looks) InCall() bool { return l.inCall.Load() }

// counted notes that n operations were counted.
func (l *looks) counted(n uint32) {
	if next := l.next.Load(); next != 0 && int32(n-next) >= 0 && l.next.CompareAndSwap(next, 0) {
		l.begun.Store(false)
	}
}
