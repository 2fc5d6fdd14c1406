package trace

import (
	"errors"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/internal/record"
)

// Options configures a [Recorder]. The zero value is useful.
type Options struct {
	// Events is how many operations and system calls there is room for, of
	// 64 bytes each; 0 means 258,048, the most is MaxEvents. It is rounded up to
	// a power of two times 63, and to what all cores need to have a part each.
	Events int

	// Full says what becomes of further events when there is no more room.
	Full Full

	// Regions has operations that wait appear as regions in the execution
	// trace of package runtime/trace too, while one is being made.
	Regions bool
}

// MaxEvents is the most that Options.Events can be: 16,515,072, in 1 GiB.
const MaxEvents = record.MostEvents

// namesSize is the memory for names of files.
const namesSize = 1 << 20 // 1 MiB

const defaultEvents = 63 << 12 // 16 MiB

func (o Options) check() (record.Options, error) {
	switch {
	case o.Events < 0 || o.Events > MaxEvents:
		return record.Options{}, fmt.Errorf("trace: Options.Events %d is not between 0 and %d", o.Events, MaxEvents)
	case o.Full > Keep:
		return record.Options{}, fmt.Errorf("trace: Options.Full %d is neither Overwrite nor Keep", uint8(o.Full))
	}
	r := record.Options{Events: o.Events, Names: namesSize, Keep: o.Full == Keep, Regions: o.Regions}
	if r.Events == 0 {
		r.Events = defaultEvents
	}
	return r, nil
}

// Recorder records the operations of the Schedulers that have it in their
// Options, and their drivers' system calls. Its memory is of a fixed size, and
// taken when it is made; while it records, nothing is allocated and nothing is
// written.
//
// All methods may be called by any number of goroutines at once.
type Recorder struct{ core *record.Recorder }

// New returns a Recorder that does not record yet. The error says which option
// is wrong.
func New(o Options) (*Recorder, error) {
	r, err := o.check()
	if err != nil {
		return nil, err
	}
	return describe(record.New(r))
}

// Create is New with the named file as the memory, which must not exist: what
// is recorded is in it at once, so that it outlives the program however that
// ends, and can be looked at meanwhile. [Read] reads it.
//
// The file grows with what is recorded, up to 64 bytes for each of Options.Events, and
// is held open, with its memory, until the program ends; if the disk is full before,
// what follows is lost, and counted. The program writes nothing to it, but
// the kernel does, in its own time, if it is on a disk; in a file system that
// is memory (/dev/shm) nobody does. Nobody may make it shorter. On Windows there
// is none (errors.ErrUnsupported).
func Create(name string, o Options) (*Recorder, error) {
	r, err := o.check()
	if err != nil {
		return nil, err
	}
	core, err := record.Create(name, r)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return describe(core)
}

func describe(core *record.Recorder) (*Recorder, error) {
	m := thisProcess()
	for !core.Describe(m.encode(nil)) {
		if m.Program == "" {
			return nil, errors.New("trace: there is no room for what the machine is")
		}
		m.Program, m.CPU = "", "" // which can be any length
	}
	return &Recorder{core}, nil
}

// Start begins recording, or goes on with it. Operations that are in progress
// are not recorded.
func (r *Recorder) Start() { r.core.Start() }

// Stop ends recording. Operations that are in progress are still recorded,
// when they end.
func (r *Recorder) Stop() { r.core.Stop() }

// Recording tells whether the Recorder records.
func (r *Recorder) Recording() bool { return r.core.On() }

// Trace returns what has been recorded so far, since the Recorder was made. It
// can be called while it records; events that are being written at that moment
// are missed, and those that come upon the reader are lost.
func (r *Recorder) Trace() *Trace {
	at := time.Now()
	t := &Trace{}
	t.fill(r.core.Collect(t.sink(r.core.Events())))
	t.Meta.Duration = at.Sub(t.Meta.Start)
	return t
}

// Core returns the Recorder inside: for package sluice, and of no use to
// others.
func (r *Recorder) Core() *record.Recorder { return r.core }
