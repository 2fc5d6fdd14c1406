package sluice

// Lane tells whether there is a driver for chains.
func (s *Scheduler) Lane() bool {
	l := s.h.Core.TryChainRunner()
	if l != nil {
		l.Leave()
	}
	return l != nil
}

// PlayNamed has fail asked before each operation of a Batch that is a plain call
// of its own, with a name or on a range: if it returns an error, that is the
// operation's, and it is not performed.
func (s *Scheduler) PlayNamed(fail func(*BatchOp) error) {
	s.byCall = func(op *BatchOp) error {
		if err := fail(op); err != nil {
			return op.wrap(err)
		}
		return op.byCall()
	}
}

// Kind tells what the operation does, as package os names it in errors.
func (op *BatchOp) Kind() string { return op.kind.String() }

// Subject is the name that the operation has, or that of its file.
func (op *BatchOp) Subject() string {
	if op.kind > lastNamed {
		return op.fileName()
	}
	return op.name
}

// Closing reports whether Close of f has begun.
func (f *File) Closing() bool {
	if f.h.Core.Use() {
		f.h.Core.Done()
		return false
	}
	return true
}
