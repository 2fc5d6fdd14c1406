// Package made remembers what a copy has made or overwritten in the destination, so
// that it neither copies a directory into itself nor destroys what it has just
// copied.
//
// # Concurrency
//
// A Record may be used by several goroutines.
package made

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// Record is what one copy has made. Its zero value is empty.
type Record struct {
	mu          sync.Mutex
	dirs        idSet           // directories that were made. Under mu
	roots       map[Place]at.ID // copies at the paths that the caller has named. Under mu
	overwritten map[at.ID]Place // overwritten files with several names, and by which. Under mu
}

// Place is a name in a directory of the destination.
type Place struct {
	Dir  at.ID
	Name string
}

// AddDir records a directory that was made.
func (r *Record) AddDir(id at.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirs.add(id)
}

// HasDir reports whether the copy has made that directory.
func (r *Record) HasDir(id at.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dirs.has(id)
}

// AddRoot records the copy at a path that the caller has named.
func (r *Record) AddRoot(p Place, id at.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.roots == nil {
		r.roots = make(map[Place]at.ID)
	}
	r.roots[p] = id
}

// HasRoot reports whether the file id at p is a copy that AddRoot has recorded.
func (r *Record) HasRoot(p Place, id at.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	by, ok := r.roots[p]
	return ok && by == id
}

// Claim reports whether an existing file with several names may be overwritten at p.
// Only the first of its names may: a file that two sources are written into would
// be a copy of neither.
func (r *Record) Claim(id at.ID, p Place) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if by, ok := r.overwritten[id]; ok {
		return by == p
	}
	if r.overwritten == nil {
		r.overwritten = make(map[at.ID]Place)
	}
	r.overwritten[id] = p
	return true
}
