package load

import (
	"errors"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/trace"
)

// Syscalls are the system calls of a slice, from the beginning of its lead-in.
type Syscalls struct {
	Ops   int64     `json:"ops"`
	Calls []Syscall `json:"calls"` // in the order in which each Name first occurred
}

// Syscall sums up all calls of one system call.
type Syscall struct {
	Name  string        `json:"name"` // the kernel's name
	Count int64         `json:"count"`
	Time  time.Duration `json:"time"` // of all calls
}

// add counts a call.
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

// openTimed is openSluice with a Recorder of each slice's system calls. The Recorder has room for
// one slice and overwrites earlier calls.
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
		explain:  s.Explain,
		stats:    func() any { return s.Stats() },
		close:    func() error { return errors.Join(f.Close(), s.Close()) },
		begin:    func(int64) error { from = time.Since(origin); rec.Start(); return nil },
		end:      func() error { rec.Stop(); return nil },
		syscalls: func() *Syscalls { return recorded(rec.Trace(), from) },
	}, nil
}

// recorded sums up the recorded calls that began at from or later: the drivers' own calls and plain
// calls.
func recorded(t *trace.Trace, from time.Duration) *Syscalls {
	s := &Syscalls{}
	for i := range t.Ops {
		o := &t.Ops[i]
		if o.Queued < from {
			continue
		}
		s.Ops++
		if call := o.Syscall(); call != "" {
			s.add(call, o.InDevice())
		}
	}
	for _, c := range t.Calls {
		if c.Start >= from && !c.Trial {
			s.add(c.Syscall, c.Duration)
		}
	}
	return s
}
