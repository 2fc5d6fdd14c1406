// Package lifetime tests how long memory and descriptors are in use. It opens files and starts
// operations. While they are in flight it ends their contexts, closes files, streams and the
// Scheduler, drops files without Close, and collects garbage, all at random and concurrently.
//
// Each file has its own pattern, and each write writes that pattern. So a transfer with another
// file, or with memory that was returned too early, leaves wrong bytes. After a call the test
// poisons the call's memory, and keeps it for a while to find late writes. After a Close the test
// at once opens another file with package os, which gets the descriptor's number.
//
//	go test -tags sluicedebug ./internal/test/lifetime -lifetime.n=100000 -lifetime.driver=aio
//
// With the tag the library poisons the memory of released Buffers, and panics if it has changed
// before its next use. A failure prints the SLUICE_SEED that makes the same calls. Their order may
// differ.
package lifetime
