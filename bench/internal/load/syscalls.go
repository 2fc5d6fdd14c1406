package load

import (
	"errors"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/trace"
)

// Syscalls says how the time of a slice's operations, from its beginning on,
// is made of system calls.
type Syscalls struct {
	Ops   int64     `json:"ops"`
	Calls []Syscall `json:"calls"` // by Name's first call
}

// Syscall is a system call that was made a number of times.
type Syscall struct {
	Name  string        `json:"name"` // the kernel's
	Count int64         `json:"count"`
	Time  time.Duration `json:"time"` // of all of them together
}

// add accounts for a call.
func (s *Syscalls) add(name string, took time.Duration) {
	for i := range s.Calls {
		if s.Calls[i].Name == name {
			s.Calls[i].Count++
			s.Calls[i].Time += took
			return
		}
	}
	s.Calls = append(s.Calls, Syscall{Name: name, Count: 1, Time: took})
}

// openTimed is openSluice with a Recorder, which notes each slice's system
// calls. It has room for the calls of a slice; those of earlier ones are
// overwritten.
func openTimed(path string, flag int, driver string) (*target, error) {
	rec, err := trace.New(trace.Options{})
	if err != nil {
		return nil, err
	}
	s, err := sluice.NewScheduler(sluice.Options{Driver: driver, Recorder: rec})
	if err != nil {
		return nil, &unsupportedError{err.Error()}
	}
	f, err := s.OpenFile(path, flag, 0)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	var from time.Duration
	origin := rec.Trace().Meta.Start
	return &target{
		file:     f,
		explain:  s.Explain(),
		stats:    func() any { return s.Stats() },
		close:    func() error { return errors.Join(f.Close(), s.Close()) },
		begin:    func(int64) error { from = time.Since(origin); rec.Start(); return nil },
		end:      func() error { rec.Stop(); return nil },
		syscalls: func() *Syscalls { return recorded(rec.Trace(), from) },
	}, nil
}

// recorded sums up what has begun since from: the drivers' own calls, and the
// operations that were plain calls.
func recorded(t *trace.Trace, from time.Duration) *Syscalls {
	s := &Syscalls{}
	for i := range t.Ops {
		o := &t.Ops[i]
		if o.Queued < from {
			continue
		}
		s.Ops++
		if call := o.Syscall(); call != trace.SysNone {
			s.add(call.String(), o.InDevice())
		}
	}
	for _, c := range t.Calls {
		if c.Start >= from {
			s.add(c.Syscall.String(), c.Duration)
		}
	}
	return s
}
