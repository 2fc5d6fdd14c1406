// Package record stores the records of a trace during the recording: records of a fixed size, in
// memory of a fixed size.
//
// The code that performs an operation notes its times, and writes one record at its end. The memory
// is divided into chunks of 63 records. There are several stripes a core, each with a chunk. A
// goroutine takes a place in the chunk of its stripe by one atomic addition. A stripe with a full
// chunk takes the next chunk of all. So cores seldom write the same memory, and yet a single busy
// core can use all of it. When all chunks have been used, the oldest is overwritten, or recording
// ends, depending on Options.Keep.
//
// # Concurrency
//
// Any number of goroutines may call all functions at any time, also to read the records. No
// goroutine waits for another's record. If another goroutine is writing or reading its place, a
// goroutine drops its record, which is counted as lost. This happens only if the other goroutine is
// held up until the whole memory has been filled.
package record
