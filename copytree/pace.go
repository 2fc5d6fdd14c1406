package copytree

import "time"

// pace decides whether a worker's calls hold its P (at.Kernel.Hold). They do
// while what is copied comes from the caches and goes there, as then a call
// takes some microseconds, and telling the Go scheduler of each costs a tenth
// of the whole. When one file has taken long, something has had to wait (a
// journal that is committed, memory that is to be written back), and the next
// ones do not hold it; twice as many if that happens again soon.
type pace struct {
	holds   bool          // whether it may at all: it is a worker, and nobody scouts
	begun   time.Duration // what is copied now, by sinceStart; 0 is nothing that is watched
	patient int           // how many more files do not hold the P
	penalty int           // how many there were after the last slow one
	quick   int           // files since then that held it
}

// started is before all that is copied.
var started = time.Now()

// sinceStart is a clock of its own as time.Now reads two, and is called twice for
// each file.
func sinceStart() time.Duration { return time.Since(started) }

const (
	// slow is more than a file takes that nothing has to wait for, also where a
	// thread is now and then not given a processor.
	slow = 4 * time.Millisecond
	// patientLeast is how many files do not hold the P after a slow one, and
	// patientMost how many at most.
	patientLeast, patientMost = 64, 4096
)

// rest says whether others need the P: scouts do.
func (p *pace) rest(cold bool) { p.holds = !cold }

// hold begins a file, and tells whether its calls hold the P.
func (p *pace) hold() bool {
	if !p.holds {
		return false
	}
	if p.patient > 0 {
		p.patient--
		return false
	}
	p.begun = sinceStart()
	return true
}

// large says that it is a file that takes long because it is large.
func (p *pace) large() bool {
	p.begun = 0
	return false
}

// done ends it.
func (p *pace) done() {
	if p.begun == 0 {
		return
	}
	took := sinceStart() - p.begun
	p.begun = 0
	if took <= slow {
		p.quick++
		return
	}
	if p.penalty *= 2; p.quick >= patientLeast {
		p.penalty = 0
	}
	p.penalty = min(patientMost, max(patientLeast, p.penalty))
	p.patient, p.quick = p.penalty, 0
}
