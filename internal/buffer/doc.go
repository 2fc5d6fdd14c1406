// Package buffer provides memory to read into and write from. The memory is aligned for
// O_DIRECT, on huge pages if the system has any, registered with the driver if that
// wants it, and limited.
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
// Memory comes in slabs of 2 MiB. A slab is divided into blocks of one size, a power of two from 4
// KiB to 2 MiB. When all its blocks are free, the slab may be divided anew, or go back to the
// system. A Buffer larger than 2 MiB has a slab to itself.
//
// A [Buffer] is a value with a block and a generation. When the last reference is released, the
// block gets the next generation. Copies of the Buffer are then stale: they can neither reach the
// memory nor free it a second time. Nothing is allocated for a Buffer.
//
// [Quotas] divide a Pool between users that must not hold each other up.
//
// With the race detector, or the build tag sluicedebug, the use of a stale Buffer panics.
// Memory is overwritten when it is released, and checked when it is handed out again. With
// the race detector it is memory of the Go heap, as the detector sees no other.
//
// # Concurrency
//
// All methods of Pool, Quotas and Buffer may be called by any number of goroutines at once. Users
// of a Buffer have to synchronize access to its bytes.
package buffer
