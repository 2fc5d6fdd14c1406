// Package lifetime is a test of how long memory and descriptors are in use. It opens files, starts operations
// and, while these are in flight, ends their contexts, closes the files, the streams and the Scheduler, drops
// files without Close, and collects garbage: at random, and much at once.
//
// Each file has a pattern of its own, and each write writes that pattern. So a transfer with another file, or
// with memory that was given back too early, leaves bytes that do not belong there. When a call has returned,
// the test poisons the memory that the call had, and keeps it for a while to find late writes. When a file was
// closed, the test opens another one at once, with package os, which gets the number of the descriptor.
//
//	go test -tags sluicedebug ./internal/test/lifetime -lifetime.n=100000 -lifetime.driver=aio
//
// The tag has the library poison the memory of Buffers that are released, and panic if it has changed when
// it is used again. A failure prints the SLUICE_SEED with which the same calls are made. Their order differs.
package lifetime
