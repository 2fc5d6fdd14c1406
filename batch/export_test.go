package batch

// PlayCalls asks fail before each operation that is a plain call of its own, with a name or on
// a range: if it returns an error, that is the operation's, and it is not performed.
func (b *Batch) PlayCalls(fail func(*Op) error) {
	b.call = func(op *Op) error {
		if err := fail(op); err != nil {
			return op.wrap(err)
		}
		return op.call()
	}
}

// Kind returns what the operation does, as package os names it in errors.
func (op *Op) Kind() string { return op.kind.String() }

// Subject returns the name that the operation has, or that of its file.
func (op *Op) Subject() string {
	if op.kind > lastNamed {
		return op.fileName()
	}
	return op.name
}
