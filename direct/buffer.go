package direct

import "github.com/sluiceio/sluice/internal/buffer"

// Buffer is memory of a Scheduler's pool: aligned, on huge pages where the
// system has any, and registered with the ring where that is possible.
// [File.ReadBuffer] gives out what it has read in one.
//
//	b, err := f.ReadBuffer(ctx, off, 64<<10)
//	if err != nil {
//		return err
//	}
//	defer b.Release()
//	use(b.Bytes())
//
// It is a value, a reference to the memory: copies are the same reference,
// [Buffer.Retain] makes one more, and each is ended by one [Buffer.Release]. With
// the last one the memory goes back to the pool, and other data is read into it. A
// Buffer that is used after that is stale: its Bytes are nil, and its Release does
// nothing. In programs built with -race or with the tag sluicedebug it panics
// instead. The zero Buffer is empty and needs no Release.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. The bytes are
// theirs to share.
type Buffer struct{ b buffer.Buffer }

// Bytes returns the memory, until the last reference is released.
func (b Buffer) Bytes() []byte { return b.b.Bytes() }

// Retain makes one more reference and returns it.
func (b Buffer) Retain() Buffer { return Buffer{b.b.Retain()} }

// Release ends the reference.
func (b Buffer) Release() { b.b.Release() }
