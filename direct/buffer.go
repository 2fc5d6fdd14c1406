package direct

import "github.com/sluiceio/sluice/internal/buffer"

// Buffer is a reference to memory of a Scheduler's pool. The memory is aligned, on huge pages if
// the system has any, and registered with a ring when it is first queued there, if the driver can.
//
//	b, err := f.ReadBuffer(ctx, off, 64<<10)
//	if err != nil {
//		return err
//	}
//	defer b.Release()
//	use(b.Bytes())
//
// A Buffer is a value; its copies are the same reference. [Buffer.Retain] makes one more reference.
// The last [Buffer.Release] returns the memory to the pool. After Release, Bytes returns nil, and
// another Release does nothing; in programs built with -race or the tag sluicedebug both panic. The
// zero Buffer is empty and needs no Release.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
type Buffer struct{ b buffer.Buffer }

// Bytes returns the memory. It is valid until the last reference is released.
func (b Buffer) Bytes() []byte { return b.b.Bytes() }

// Retain makes one more reference and returns it.
func (b Buffer) Retain() Buffer { return Buffer{b.b.Retain()} }

// Release ends the reference.
func (b Buffer) Release() { b.b.Release() }
