// Package hardlink records the copies of files with several names, so that the other names become
// hard links to the copy.
//
//	for {
//		c, first := table.Find(id)
//		if first {
//			// … make the copy …
//			table.Made(id, c, dir, name, ok)
//			break
//		}
//		if c.Wait() {
//			// … link to c.Name in c.Dir's copy …
//			break
//		}
//	}
//
// # Concurrency
//
// Several goroutines may use a Table.
package hardlink

import (
	"bytes"
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

// Table has the files of the source with several names. It forgets none: a name may be found again,
// as in two sources of one cp, or below a bind mount, so more names may be found than the file has.
// Its zero value is empty.
type Table struct {
	mu     sync.Mutex
	copies map[at.ID]*Copy // by the ID of the source; guarded by mu
}

// Copy is the place of a file's copy. Its fields may be read after Wait has returned
// true.
type Copy struct {
	Dir  *dirs.Dir
	Name at.Name

	ok    bool
	known chan struct{} // closed when ok is known
}

// Find returns the copy of a file. If first is true, the caller must make the copy and call Made.
func (t *Table) Find(id at.ID) (_ *Copy, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.copies[id]; c != nil {
		return c, false
	}
	if t.copies == nil {
		t.copies = make(map[at.ID]*Copy)
	}
	c := &Copy{known: make(chan struct{})}
	t.copies[id] = c
	return c, true
}

// Made records the place of the copy. If ok is false, there is no copy.
func (t *Table) Made(id at.ID, c *Copy, dir *dirs.Dir, name at.Name, ok bool) {
	c.Dir, c.Name, c.ok = dir, bytes.Clone(name), ok
	if !ok {
		t.Lost(id, c)
	}
	close(c.known)
}

// Wait waits until another goroutine has called Made. It reports whether there is a copy.
func (c *Copy) Wait() bool {
	<-c.known
	return c.ok
}

// Lost removes a copy that does not exist, so that the next name of the file is copied again.
func (t *Table) Lost(id at.ID, c *Copy) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.copies[id] == c {
		delete(t.copies, id)
	}
}
