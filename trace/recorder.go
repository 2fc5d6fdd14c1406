package trace

import (
	"errors"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/internal/record"
)

// Package sluice gives the Recorder in its Options to its Schedulers.
func init() { record.Of = func(r any) *record.Recorder { return r.(*Recorder).made() } }

// Options configures a [Recorder]. The zero value is useful.
type Options struct {
	// Events is how many operations and system calls the Recorder has room for, of 64 bytes each.
	// 0 means 258,048 (16 MiB); the most is 16,515,072 (1 GiB). New rounds the number up.
	Events int

	// KeepOldest drops new events when the Recorder is full. By default the Recorder overwrites
	// the oldest ones.
	KeepOldest bool

	// Regions shows each wait of an operation in Go's execution traces, as a region of package
	// runtime/trace.
	Regions bool
}

// namesSize is the room for the names of files and classes, and for labels.
const namesSize = 1 << 20 // 1 MiB

const defaultEvents = 63 << 12 // 16 MiB

func (o Options) check() (record.Options, error) {
	if o.Events < 0 || o.Events > record.MaxEvents {
		return record.Options{}, fmt.Errorf("trace: Options.Events %d is not between 0 and %d",
			o.Events, record.MaxEvents)
	}
	r := record.Options{Events: o.Events, Names: namesSize, Keep: o.KeepOldest, Regions: o.Regions}
	if r.Events == 0 {
		r.Events = defaultEvents
	}
	return r, nil
}

// Recorder records the operations of its Schedulers, and their drivers' system calls, while it is
// started. [New] makes one in memory, and [Create] one in a file. The zero Recorder panics when it
// is used.
//
// Record nothing inside a bubble of testing/synctest: a bubble's clock begins in the year 2000, so
// all times would be 0.
type Recorder struct{ core *record.Recorder }

// made returns the inside of r. It panics if r is nil, or the zero Recorder.
func (r *Recorder) made() *record.Recorder {
	if r == nil || r.core == nil {
		panic("trace: use of a nil or zero Recorder; New and Create make Recorders")
	}
	return r.core
}

// New returns a Recorder in memory, which is not started. It allocates all of the memory. An error
// names a wrong option.
func New(o Options) (*Recorder, error) {
	r, err := o.check()
	if err != nil {
		return nil, err
	}
	return describe(record.New(r))
}

// Create returns a Recorder in a new file, which is not started. The file has each event at once,
// even if the program is killed, and [Read] may read it during the recording. It grows to 64 bytes
// for each of Options.Events. Nobody may truncate it before the program ends. If the disk is full,
// later events are lost, and Meta.Lost counts them. An existing file is os.ErrExist; on Windows the
// error is errors.ErrUnsupported.
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

// describe stores the description of this process in a new Recorder.
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

// Start begins recording, or goes on with it. Operations in progress are not recorded.
func (r *Recorder) Start() { r.made().Start() }

// Stop ends recording. Operations in progress are recorded when they end.
func (r *Recorder) Stop() { r.made().Stop() }

// Trace returns all events that the Recorder has. It may be called while the Recorder is started,
// without the event that is being recorded at that moment. A later Trace may have that event.
func (r *Recorder) Trace() *Trace {
	core, at := r.made(), time.Now()
	t := &Trace{}
	t.fill(core.Collect(t.sink(core.Events())))
	t.Meta.Duration = max(0, at.Sub(t.Meta.Start)) // a bubble's clock is behind Start
	return t
}
