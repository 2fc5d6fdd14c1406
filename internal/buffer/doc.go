// Package buffer provides memory for transfers: aligned for O_DIRECT, on huge pages if the system
// has any, that a driver may register, and limited.
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
// KiB to 2 MiB. When all its blocks are free, the slab may be divided anew, or unmapped. A Buffer
// larger than 2 MiB has a whole slab.
//
// A [Buffer] is a value with a block and a generation. When the last reference is released, the
// block gets the next generation. Copies of the Buffer are then stale: they can neither reach the
// memory nor free it a second time. A Buffer needs no allocation.
//
// [Quotas] divide a Pool between users that must not hold each other up.
//
// With the race detector, or the build tag sluicedebug, the use of a stale Buffer panics. Memory is
// overwritten when it is released, and checked when it is handed out again. With the race detector
// it is memory of the Go heap, because the detector sees no other memory.
//
// # Concurrency
//
// All methods of Pool, Quotas and Buffer may be called by any number of goroutines at once. Users
// of a Buffer must synchronize access to its bytes.
package buffer
