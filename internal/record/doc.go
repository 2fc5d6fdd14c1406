// Package record stores the records of a trace while it is made: records of a fixed size, in
// memory of a fixed size.
//
// The code that performs an operation notes its times, and writes one record when it has ended.
// The memory is divided into chunks of 63 records. There are several stripes a core, and each
// has a chunk. A goroutine takes a place in the chunk of its stripe by one atomic addition. A
// stripe whose chunk is full takes the next chunk of all. So cores seldom write the same memory,
// and yet a single busy one can use all of it. When all chunks have been used, the oldest is
// overwritten, or recording ends, depending on Options.Keep.
//
// # Concurrency
//
// All functions may be called at any time by any number of goroutines, also to read the records.
// No goroutine waits for another's record. If the place that it got is being written or read by
// another, it drops its own record, which is counted as lost. This happens only if the other is
// held up for as long as it takes to fill the whole memory.
package record
