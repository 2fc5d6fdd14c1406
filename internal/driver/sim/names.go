package sim

import (
	"maps"
	"slices"
)

// names is the files by name, as programs see them, and as they may be after a crash.
//
// It is as in a file system with a journal. What was done to names becomes durable in its order. A sync of a
// file makes durable what was done up to the last change of a name of that file, and SyncNames all. Of the rest, a crash keeps
// what was done up to some point.
type names struct {
	now map[string]*file
	// states has the names after each change; the last one is now. Those before the first one cannot be what a crash leaves.
	states []nameState
}

// nameState is all names after a change.
type nameState struct {
	files   map[string]*file
	changed []*file // the files that the change has given a name, or taken one from
}

func newNames() names {
	return names{now: map[string]*file{}, states: []nameState{{files: map[string]*file{}}}}
}

// changed notes that now was changed, for the names of files.
func (n *names) changed(files ...*file) {
	n.states = append(n.states, nameState{maps.Clone(n.now), files})
}

// sync makes durable what a sync of f does.
func (n *names) sync(f *file) {
	for i := len(n.states) - 1; i > 0; i-- {
		if slices.Contains(n.states[i].changed, f) {
			n.states = n.states[i:]
			return
		}
	}
}

// syncAll makes all changes durable.
func (n *names) syncAll() { n.states = n.states[len(n.states)-1:] }
