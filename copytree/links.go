package copytree

import (
	"bytes"
	"errors"
	"math"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// links are the files of the source that have several names, from the first
// name that was found until the last.
type links struct {
	mu    sync.Mutex
	first map[at.ID]*linked // under mu
}

// linked is where the copy of such a file is.
type linked struct {
	made chan struct{} // closed when it is known whether there is a copy
	ok   bool          // there is. Before made is closed
	in   *dir
	name at.Name
	left uint64 // names that were not found yet. Under links.mu
}

// find returns what is known of a file with so many names. It is the caller's
// to make the copy if first.
func (l *links) find(id at.ID, names uint64) (_ *linked, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.first[id]; k != nil {
		if k.left--; k.left == 0 {
			delete(l.first, id)
		}
		return k, false
	}
	if l.first == nil {
		l.first = make(map[at.ID]*linked)
	}
	k := &linked{made: make(chan struct{}), left: names - 1}
	l.first[id] = k
	return k, true
}

// lost forgets a file whose copy could not be made, so that it is tried again
// by its next name.
func (l *links) lost(id at.ID, k *linked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first[id] == k {
		delete(l.first, id)
	}
}

// linkedOr copies it, or makes it a hard link to the copy of another of its
// names, if links are preserved.
func (w *worker) linkedOr(it *item, copyIt func(*item) error) error {
	names := it.stat.Nlink
	if w.o.Follow == FollowAll {
		names = math.MaxUint64 // any number of symbolic links may lead to it
	}
	if w.o.Preserve&PreserveLinks == 0 || names < 2 {
		return copyIt(it)
	}
	for {
		k, first := w.links.find(it.stat.ID, names)
		if first {
			err := copyIt(it)
			k.in, k.name, k.ok = it.in, bytes.Clone(it.dst), (err == nil || it.kept) && w.isCopy(it)
			if !k.ok {
				w.links.lost(it.stat.ID, k)
			}
			close(k.made)
			return err
		}
		<-k.made // by a worker that is at it
		if !k.ok {
			continue
		}
		if err := w.linkCopy(it, k); !gone(err) {
			return err
		}
		w.links.lost(it.stat.ID, k) // another process has replaced the copy
	}
}

// isCopy tells whether what stands for it now is its copy, also if it was there.
func (w *worker) isCopy(it *item) bool {
	return it.what != Skipped || it.alike && (w.o.Resume || w.o.Existing == Older)
}

// linkCopy makes a hard link to the copy that k is.
func (w *worker) linkCopy(it *item, k *linked) error {
	if err := w.handles.use(k.in); err != nil {
		return err
	}
	defer w.handles.unuse(k.in)
	it.what = Linked
	return w.make(it, func(name at.Name) error {
		err := w.kernel.Link(k.in.dst, k.name, at.NoFollow, it.in.dst, name)
		if errors.Is(err, syscall.EEXIST) && w.same(it, k) {
			err = nil
		}
		return wrong("link", destination, err)
	})
}

// same tells whether what is at the place of it is the copy that k is.
func (w *worker) same(it *item, k *linked) bool {
	var there, other at.Stat
	return w.kernel.Stat(it.in.dst, it.dst, at.NoFollow, &there) == nil &&
		w.kernel.Stat(k.in.dst, k.name, at.NoFollow, &other) == nil && there.ID == other.ID
}
