// Package record keeps what a trace is made of while it is recorded: fixed
// records in memory of a fixed size.
//
// Whoever performs an operation notes its times and leaves one record at its
// end. Memory is in chunks of 63 records. A goroutine writes into the chunk of
// its stripe, of which there are several a core, and takes a place there by
// one atomic addition; a full chunk is exchanged for the next of all. So cores
// seldom meet, and yet all the memory is there for whoever has something to
// record. When all chunks have been given out the oldest is taken again, or
// none, as was asked.
//
// # Concurrency
//
// Everything may be called at any time by any number of goroutines, reading
// included. Nobody waits for anybody else's record: a place that another is
// writing to or reading, which takes a goroutine that was held up for as long
// as all the others took to fill the memory, costs the newcomer his record. It
// is counted as lost.
package record
