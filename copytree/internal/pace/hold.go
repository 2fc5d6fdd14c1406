package pace

import "time"

// Hold decides whether a worker's system calls hold its P (at.Kernel.Clone). They hold it while all
// data is in memory: a call then takes some microseconds, and announcing each to the Go scheduler
// costs a tenth of the whole copy. A file that took long is a sign of waiting, for instance for a
// journal's commit or for writeback. Calls for the next files then do not hold the P: 64 files, and
// twice as many if another slow file follows soon.
type Hold struct {
	// Holds is true while the calls hold the P. Begin and Ignore set it. The worker's at.Kernel
	// reads it.
	Holds bool

	allowed   bool          // set by Allow
	begun     time.Duration // when the file began, by sinceStart; 0: not watched
	remaining int           // files until the calls may hold the P again
	penalty   int           // remaining after the last slow file
	quick     int           // files since then whose calls held the P
}

// NewHold returns a Hold for a worker.
func NewHold() Hold { return Hold{allowed: true} }

// started is a time before any copy.
var started = time.Now()

// sinceStart reads only the monotonic clock; it is called twice for each file. time.Now reads two
// clocks.
func sinceStart() time.Duration { return time.Since(started) }

const (
	// slowFile is longer than any file without waiting takes, even if its thread sometimes loses
	// the processor.
	slowFile = 4 * time.Millisecond
	// minPenalty and maxPenalty bound the number of files after a slow one that do not hold the P.
	minPenalty, maxPenalty = 64, 4096
)

// Allow sets whether the calls may hold the P. They may not while prefetchers run: prefetchers need
// the Ps.
func (h *Hold) Allow(allowed bool) { h.allowed = allowed }

// Allowed returns the value of Allow.
func (h *Hold) Allowed() bool { return h.allowed }

// Begin begins a file, and decides whether its calls hold the P.
func (h *Hold) Begin() {
	h.Holds = h.allowed && h.remaining == 0
	switch {
	case h.Holds:
		h.begun = sinceStart()
	case h.allowed:
		h.remaining--
	}
}

// Ignore excludes the current file, which takes long because it is large or a stream. Its calls do
// not hold the P.
func (h *Hold) Ignore() {
	h.begun = 0
	h.Holds = false
}

// End ends the file.
func (h *Hold) End() {
	if h.begun == 0 {
		return
	}
	took := sinceStart() - h.begun
	h.begun = 0
	if took <= slowFile {
		h.quick++
		return
	}
	if h.penalty *= 2; h.quick >= minPenalty {
		h.penalty = 0
	}
	h.penalty = min(maxPenalty, max(minPenalty, h.penalty))
	h.remaining, h.quick = h.penalty, 0
}
