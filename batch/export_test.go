package batch

import "fmt"

// State is an operation's state.
type State = state

const (
	Waiting  = waiting
	Done     = done
	Failed   = failed
	NotBegun = notBegun
)

// State returns the operation's state.
func (op *Op) State() State { return op.state }

// String returns the name of the state.
func (s state) String() string {
	names := [...]string{"waiting", "done", "failed", "not begun"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// PlayCalls calls fail before each plain call, with a name or on a range. If fail returns an error,
// the operation fails with it and is not performed.
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

// Subject returns the operation's name, or the name of its file.
func (op *Op) Subject() string {
	if op.kind > lastNamed {
		return op.fileName()
	}
	return op.name
}
