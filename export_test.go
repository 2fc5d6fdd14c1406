package sluice

// Block holds one of the places of blocking calls for as long as do runs.
func (s *Scheduler) Block(do func()) { s.h.Core.Block(nil, do) }

// Closing tells whether Close has begun.
func (f *File) Closing() bool {
	if f.h.Core.Use() {
		f.h.Core.Done()
		return false
	}
	return true
}

// Inodes tells how many files of DirectFiles are remembered.
func Inodes() int {
	inodes.Lock()
	defer inodes.Unlock()
	return len(inodes.m)
}

// BuffersInUse tells how much memory of the file's Scheduler users hold.
func (d *DirectFile) BuffersInUse() int64 { return d.file.h.Sched.Buffers.Stats().InUse }

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
