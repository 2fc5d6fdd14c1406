package direct

import "github.com/sluiceio/sluice/internal/buffer"

// Buffer is memory of a Scheduler's pool: aligned, on huge pages where the system has any, and
// registered with the ring where that is possible.
//
//	b, err := f.ReadBuffer(ctx, off, 64<<10)
//	if err != nil {
//		return err
//	}
//	defer b.Release()
//	use(b.Bytes())
//
// A Buffer is a value, a reference to the memory, and copies are the same reference.
// [Buffer.Retain] makes one more. The last [Buffer.Release] gives the memory back to the pool.
// Bytes of a released Buffer is nil, and Release does nothing; in programs built with -race or the
// tag sluicedebug both panic. The zero Buffer is empty and needs no Release.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
type Buffer struct{ b buffer.Buffer }

// Bytes returns the memory, until the last reference is released.
func (b Buffer) Bytes() []byte { return b.b.Bytes() }

// Retain makes one more reference and returns it.
func (b Buffer) Retain() Buffer { return Buffer{b.b.Retain()} }

// Release ends the reference.
func (b Buffer) Release() { b.b.Release() }
