// Package made records the files that a copy has made or overwritten. With it, the copy neither
// copies a directory into itself nor destroys a new copy.
//
// # Concurrency
//
// Several goroutines may use a Record.
package made

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// Record is the record of one copy. Its zero value is empty.
type Record struct {
	mu    sync.Mutex
	dirs  idSet           // directories that were made; guarded by mu
	roots map[Place]at.ID // copies at paths from the caller; guarded by mu
	// Overwritten files with se// by their overwritten name; guarded by mu
	overwritten map[at.ID]Place
}

// Place is a name in a directory of the destination.
type Place struct {
	Dir  at.ID
	Name string
}

// AddDir records a new directory.
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

// AddRoot records the copy at a path from the caller.
func (r *Record) AddRoot(p Place, id at.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.roots == nil {
		r.roots = make(map[Place]at.ID)
	}
	r.roots[p] = id
}

// HasRoot reports whether AddRoot has recorded the file id at p.
func (r *Record) HasRoot(p Place, id at.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	by, ok := r.roots[p]
	return ok && by == id
}

// Claim reports whether an existing file with several names may be overwritten at p. Only its first
// claimed name may: two sources in one file would give a copy of neither.
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
