package pace

import "time"

// Hold decides whether a worker's system calls hold its P (at.Kernel.Clone). They
// do while everything comes from memory and goes there: such a call takes some
// microseconds, and announcing each to the Go scheduler costs a tenth of the whole
// copy. A file that has taken long is a sign that something had to wait, such as
// for a journal's commit or for dirty memory to be written back. The calls for the
// files after it do not hold the P: 64 files, and twice as many if a slow one
// follows soon.
type Hold struct {
	// Holds says whether the calls hold the P now. Begin and Ignore set it; the worker's
	// at.Kernel reads it.
	Holds bool

	allowed   bool          // the worker's calls may hold the P at all
	begun     time.Duration // when the file began, by sinceStart; 0: it is not watched
	remaining int           // files whose calls will not hold the P
	penalty   int           // how many these were after the last slow file
	quick     int           // files since then whose calls held the P
}

// NewHold returns a Hold for a worker.
func NewHold() Hold { return Hold{allowed: true} }

// started is a time before any copy.
var started = time.Now()

// sinceStart reads the monotonic clock alone. time.Now reads two clocks, and
// sinceStart is called twice for each file.
func sinceStart() time.Duration { return time.Since(started) }

const (
	// slowFile is longer than a file takes for which nothing has to wait, also
	// where its thread loses the processor now and then.
	slowFile = 4 * time.Millisecond
	// minPenalty and maxPenalty bound how many files after a slow one do not hold
	// the P.
	minPenalty, maxPenalty = 64, 4096
)

// Allow sets whether the calls may hold the P. They may not while prefetchers run,
// as those need the Ps.
func (h *Hold) Allow(allowed bool) { h.allowed = allowed }

// Allowed returns what Allow has set.
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

// Ignore excludes the current file, which takes long because it is large or a
// stream: its calls do not hold the P.
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
