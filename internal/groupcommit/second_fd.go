package groupcommit

import (
	"runtime"

	"github.com/sluiceio/sluice/internal/sys"
)

// secondFD is a second descriptor of a file, with a second open file description, for an fsync
// beside the one that runs. Of two fsyncs on one description the first to look would take the error
// of a lost write-back, and the other might return success.
//
// A description never learns of an error that was reported, to anyone, before it was opened. So the
// second descriptor is opened before an fsync of the File's own description starts, and is used
// only once that fsync has succeeded: it would have reported an earlier loss.
type secondFD struct {
	busy bool // an fsync runs on fd. Under Syncer.mu
	// fd is an open descriptor while state is opened or serving. The number alone does not show it:
	// 0 is a descriptor, too, in a program that has closed its standard input. Init writes state
	// and fd; the goroutine that has set Syncer.running does, under Syncer.mu; and CloseSecondFD
	// does once no operation is left.
	state secondState
	fd    int
	// forgotten closes fd when the File and its views are collected without Close.
	forgotten runtime.Cleanup
}

// secondState is whether there is a second descriptor.
type secondState uint8

const (
	unopened   secondState = iota // nothing has needed it yet
	opened                        // it is fd, and no fsync has succeeded since
	serving                       // an fsync may run on fd
	impossible                    // there can be none
)

// usesSecondFD reports whether Syncs are better made by two fsyncs at a time than in groups: by two
// goroutines. Measured: docs/results/syncs.md. It must be called with mu held.
func (s *Syncer) usesSecondFD() bool {
	return s.delay.expected <= 2 && s.second.state != impossible && s.unsynced.Load() >= HugeWritten
}

// openSecondFD takes the second descriptor, which the opener has opened, or a negative number
// if there can be none. The opener calls it before it starts its fsync. The Syncer closes it.
func (s *Syncer) openSecondFD(fd int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fd < 0 {
		s.second.state = impossible
		return
	}
	s.second.state, s.second.fd = opened, fd
	s.second.forgotten = runtime.AddCleanup(s, sys.Close, fd)
}

// CloseSecondFD closes the second descriptor. No Sync may be in progress.
func (s *Syncer) CloseSecondFD() {
	if s.second.state == opened || s.second.state == serving {
		s.second.forgotten.Stop()
		sys.Close(s.second.fd)
	}
	s.second.state = impossible
}
