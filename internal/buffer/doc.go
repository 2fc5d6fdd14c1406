// Package buffer gives out memory to read into and write from: aligned for
// O_DIRECT, on huge pages where the system has any, told to the driver in
// advance where it wants to know, and bounded.
//
//	p := buffer.NewPool(buffer.Options{})
//	defer p.Close()
//	b, err := p.Get(ctx, 64<<10)
//	if err != nil {
//		return err
//	}
//	defer b.Release()
//	… b.Bytes() …
//
// Memory comes in slabs of 2 MiB. A slab is cut into blocks of one size
// class, a power of two from 4 KiB to 2 MiB; when all of them are free again
// it may serve another class, or be given back to the system. What is larger
// than 2 MiB is a slab of its own.
//
// A [Buffer] is a value that names a block and the generation of its use.
// When the last reference is released the generation passes, and a handle
// that is still around is stale: it can neither reach the memory nor free it
// a second time. Nothing is allocated for a Buffer.
//
// In builds with the race detector or the tag sluicedebug, use of a stale
// handle panics, memory is poisoned when it is released and checked when it
// is given out again; with the race detector it is also memory of the Go heap,
// whose accesses the detector can see.
//
// # Concurrency
//
// All methods of Pool may be called at the same time. So may those of Buffer;
// the bytes are for their users to share out.
package buffer
