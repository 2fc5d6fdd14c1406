package copytree

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// entry is something in a directory that is to be copied, and no directory.
type entry struct {
	at.Entry
	fd int // of its source, if a scout has opened it; -1 if not
}

// batch is entries of one directory, in the order of their inodes. Each is
// copied by who takes it.
type batch struct {
	in      *dir // in use (handles.use) until the batch is released
	entries []entry
	taken   atomic.Int32
	names   []byte // of the entries, if the batch is copied by others than who has read it
	ahead   int    // what it counts in queue.ahead
	shared  bool   // it was offered to other workers; of the one who has it first
	users   int    // workers that copy it. Under queue.mu
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// take returns an entry that nobody else has, or nil.
func (b *batch) take() *entry {
	if b.empty() {
		return nil
	}
	i := int(b.taken.Add(1)) - 1
	if i >= len(b.entries) {
		return nil
	}
	return &b.entries[i]
}

// empty tells whether all entries were taken.
func (b *batch) empty() bool { return int(b.taken.Load()) >= len(b.entries) }

// sort puts the entries into the order of their inodes, in which their file
// system reads them with the fewest requests. Names of one file stay as they
// are in the directory.
func (b *batch) sort() {
	slices.SortStableFunc(b.entries, func(x, y entry) int { return cmp.Compare(x.Ino, y.Ino) })
}

// keep gives the batch memory of its own for the names.
func (b *batch) keep() {
	size := 0
	for i := range b.entries {
		size += len(b.entries[i].Name)
	}
	b.names = slices.Grow(b.names[:0], size)
	for i := range b.entries {
		e := &b.entries[i]
		from := len(b.names)
		b.names = append(b.names, e.Name...)
		e.Name = at.Name(b.names[from:])
	}
}

// recycle makes b ready for another directory.
func (b *batch) recycle() {
	clear(b.entries)
	*b = batch{entries: b.entries[:0], names: b.names[:0]}
	batches.Put(b)
}
