package trace

import (
	"errors"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/internal/record"
)

// Options configures a [Recorder]. The zero value is useful.
type Options struct {
	// Events is the number of operations and system calls that the buffers
	// hold, of 64 bytes each; 0 means 258,048 (16 MiB), the most is MaxEvents. It is
	// rounded up to 63 times a power of two, and to what gives each core a
	// buffer.
	Events int

	// Full says what happens to further events when the buffers are full.
	Full Full

	// Regions makes operations that wait regions of runtime/trace as well. They
	// then appear in an execution trace, if one is being made.
	Regions bool
}

// MaxEvents is the largest Options.Events: 16,515,072, which take 1 GiB.
const MaxEvents = record.MaxEvents

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
// Options, and their drivers' system calls. Its memory has a fixed size. That of
// [New] is obtained when it is made; the file of [Create] grows up to that size.
// Recording allocates nothing.
//
// Use a Recorder outside of bubbles of testing/synctest: a bubble's clock shows the
// year 2000, before the program began, and all times of a Trace from there are 0.
//
// All methods may be called by any number of goroutines at once.
type Recorder struct{ core *record.Recorder }

// New returns a Recorder that does not record yet. An error names the option
// that is wrong.
func New(o Options) (*Recorder, error) {
	r, err := o.check()
	if err != nil {
		return nil, err
	}
	return describe(record.New(r))
}

// Create is New with the named file as the memory. If the file exists, the error is
// os.ErrExist. What
// is recorded is in the file at once, so that it outlives the program however
// that ends, and can be looked at meanwhile. [Read] reads it.
//
// The file grows with what is recorded, up to 64 bytes for each of
// Options.Events. It stays open and mapped until the program ends. If the disk
// becomes full, later events are lost, and counted in Meta.Lost. The program
// writes to memory only. If the file is on a disk, the kernel writes it there in
// its own time; in a file system in memory (/dev/shm) nothing is written. The
// file must not be truncated meanwhile. On Windows the error is
// errors.ErrUnsupported.
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
			return nil, errors.New("trace: the description of this machine does not fit into the recording")
		}
		m.Program, m.CPU = "", "" // these can have any length
	}
	return &Recorder{core}, nil
}

// Start begins recording, or goes on with it. Operations that are already in
// progress are not recorded.
func (r *Recorder) Start() { r.core.Start() }

// Stop ends recording. Operations that are still in progress are recorded when
// they end.
func (r *Recorder) Stop() { r.core.Stop() }

// Recording reports whether the Recorder records.
func (r *Recorder) Recording() bool { return r.core.On() }

// Trace returns what has been recorded since the Recorder was made, or the latest of it that
// the buffers hold (Options.Full). It may be called while the Recorder records. Events that are being written at that moment are
// missing from the Trace. An event for which Trace reads the buffer at just that
// moment is lost.
func (r *Recorder) Trace() *Trace {
	at := time.Now()
	t := &Trace{}
	t.fill(r.core.Collect(t.sink(r.core.Events())))
	t.Meta.Duration = max(0, at.Sub(t.Meta.Start)) // the clock of a bubble is behind Start
	return t
}

// Core returns the internal recorder. It is for package sluice; programs can do
// nothing with it.
func (r *Recorder) Core() *record.Recorder { return r.core }
