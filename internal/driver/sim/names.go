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
	// oldest has the names after change number first. No crash leaves earlier ones.
	oldest map[string]*file
	first  int
	later  []nameChange // the changes since, in their order
}

// nameChange is a change of names.
type nameChange struct {
	to    []named
	files []*file // the files that the change has given a name, or taken one from
}

// named is a name after a change. Its file is nil if no file has the name.
type named struct {
	name string
	file *file
}

func newNames() names { return names{now: map[string]*file{}, oldest: map[string]*file{}} }

// changed notes a change of these names, which now has already. files are the files that had one of
// them, or have one now.
func (n *names) changed(names []string, files ...*file) {
	c := nameChange{files: files}
	for _, name := range names {
		c.to = append(c.to, named{name, n.now[name]})
	}
	n.later = append(n.later, c)
}

// last returns the number of the last change.
func (n *names) last() int { return n.first + len(n.later) }

// keep makes change number k and all earlier ones durable.
func (n *names) keep(k int) {
	if k > n.first {
		n.apply(n.oldest, k-n.first)
		n.later = slices.Delete(n.later, 0, k-n.first)
		n.first = k
	}
}

// apply makes the first k changes of later in files.
func (n *names) apply(files map[string]*file, k int) {
	for _, c := range n.later[:k] {
		for _, to := range c.to {
			if to.file == nil {
				delete(files, to.name)
			} else {
				files[to.name] = to.file
			}
		}
	}
}

// after returns the names after the first k changes of later.
func (n *names) after(k int) map[string]*file {
	files := maps.Clone(n.oldest)
	n.apply(files, k)
	return files
}

// has reports whether f has a name, or may have one after a crash.
func (n *names) has(f *file) bool { return f.nameless == 0 || f.nameless > n.first }

// sync makes the changes durable that an fsync of f covers, which was submitted after change number
// until.
func (n *names) sync(f *file, until int) {
	for k := until; k > n.first; k-- {
		if slices.Contains(n.later[k-n.first-1].files, f) {
			n.keep(k)
			return
		}
	}
}
