package queue

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

// Entry is an entry to copy. It is no directory.
type Entry struct {
	at.Entry
	FD int // the source, if a prefetcher has opened it; otherwise -1
}

// Batch has entries of one directory. Each goroutine that copies the batch takes one entry after
// another.
type Batch struct {
	Dir     *dirs.Dir // in use until the last goroutine has released the batch
	Entries []Entry

	taken     atomic.Int32
	names     []byte // holds the entries' names after OwnNames
	openAhead int    // descriptors that the batch counts in Queue.openAhead
	offered   bool   // Offer was called; the goroutine that first had the batch owns it
	users     int    // goroutines that copy the batch; guarded by Queue.mu
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// NewBatch returns an empty batch of d, which is in use.
func NewBatch(d *dirs.Dir) *Batch {
	b := batches.Get().(*Batch)
	b.Dir, b.users = d, 1
	return b
}

// Recycle makes b's memory available to NewBatch.
func (b *Batch) Recycle() {
	clear(b.Entries)
	*b = Batch{Entries: b.Entries[:0], names: b.names[:0]}
	batches.Put(b)
}

// Take returns an entry that no other goroutine has taken, or nil.
func (b *Batch) Take() *Entry {
	if b.Empty() {
		return nil
	}
	i := int(b.taken.Add(1)) - 1
	if i >= len(b.Entries) {
		return nil
	}
	return &b.Entries[i]
}

// Empty reports whether all entries were taken.
func (b *Batch) Empty() bool { return int(b.taken.Load()) >= len(b.Entries) }

// Sort sorts the entries by inode number: in this order the file system reads the inodes with the
// fewest requests. The sort is stable, so that the first name of a file stays first.
func (b *Batch) Sort() {
	slices.SortStableFunc(b.Entries, func(x, y Entry) int { return cmp.Compare(x.Ino, y.Ino) })
}

// Split removes the entries beyond the first n from b, and returns them as a batch of the same
// directory, or nil. The caller makes the second batch a user of the directory.
func (b *Batch) Split(n int) *Batch {
	if len(b.Entries) <= n {
		return nil
	}
	rest := NewBatch(b.Dir)
	rest.Entries = append(rest.Entries, b.Entries[n:]...)
	b.Entries = b.Entries[:n]
	return rest
}

// OwnNames copies the entries' names into memory of the batch. Before that, they are in the buffer
// of the goroutine that has read the directory, which reuses it. A batch for another goroutine
// needs its own names.
func (b *Batch) OwnNames() {
	size := 0
	for i := range b.Entries {
		size += len(b.Entries[i].Name)
	}
	b.names = slices.Grow(b.names[:0], size)
	for i := range b.Entries {
		e := &b.Entries[i]
		from := len(b.names)
		b.names = append(b.names, e.Name...)
		e.Name = at.Name(b.names[from:])
	}
}
