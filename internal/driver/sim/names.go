package sim

import (
	"maps"
	"slices"
)

// names has the files by name, as programs see them, and as they may be after a crash.
//
// It works as a file system with a journal. Changes of names become durable in their order. An
// fsync of a file makes all changes durable up to the last change of a name of that file; an
// fdatasync, up to the file's creation; SyncNames makes all durable. Of the later changes, a crash
// keeps all up to some point.
type names struct {
	now map[string]*file
	// states has the names after each change; the last one is now. No crash leaves an earlier state
	// than the first one.
	states []nameState
	first  int // the number of the change before states[0]
}

// nameState has all names after a change.
type nameState struct {
	files   map[string]*file
	changed []*file // the files that the change has given a name, or taken one from
}

func newNames() names {
	return names{now: map[string]*file{}, states: []nameState{{files: map[string]*file{}}}}
}

// changed appends a state with the present names, after a change of the names of files.
func (n *names) changed(files ...*file) {
	n.states = append(n.states, nameState{maps.Clone(n.now), files})
}

// last returns the number of the last change.
func (n *names) last() int { return n.first + len(n.states) - 1 }

// keep makes change number k and all earlier ones durable.
func (n *names) keep(k int) {
	if k > n.first {
		n.states = slices.Delete(n.states, 0, k-n.first)
		n.first = k
	}
}

// has reports whether f has a name, or may have one after a crash.
func (n *names) has(f *file) bool { return f.nameless == 0 || f.nameless > n.first }

// sync makes the changes durable that an fsync of f covers, which was submitted after change number
// until.
func (n *names) sync(f *file, until int) {
	for k := until; k > n.first; k-- {
		if slices.Contains(n.states[k-n.first].changed, f) {
			n.keep(k)
			return
		}
	}
}
