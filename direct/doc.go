// Package direct reads and writes files past the page cache (O_DIRECT). Offsets, lengths and memory
// need not be aligned, and a file has exactly as many bytes as were written.
//
//	f, err := direct.Create("log")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	n, err := f.WriteAt(record, off)
//
// A [File] reads and writes at offsets. [File.ReadBuffer] and [File.ReadMany] copy nothing: they
// return a [Buffer] of the Scheduler's memory, which the caller must release. A [Reader] reads a
// File from front to back, and a [Writer] writes one.
//
// On a file system that refuses O_DIRECT, Open succeeds, and the File works through the page cache;
// [File.Explain] says so. Open and Create use the Scheduler that sluice.Default returns; [OpenOn]
// takes a Scheduler. docs/direct-io.md says what happens to requests that are not aligned, and how
// fast they are.
//
// # Concurrency
//
// Any number of goroutines may use a File or a Buffer at once. One goroutine at a time may use a
// Reader or a Writer.
package direct
