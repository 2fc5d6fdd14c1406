// Package direct reads and writes files past the page cache (O_DIRECT), without O_DIRECT's rules of
// alignment: it accepts any offset, length and memory, and a file has exactly as many bytes as were
// written.
//
//	f, err := direct.Create("log")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	n, err := f.WriteAt(record, off)
//
// A [File] reads and writes at offsets. [File.ReadBuffer] and [File.ReadMany] read without a copy,
// into a [Buffer], which is memory of the Scheduler. A [Reader] and a [Writer] are streams through
// a File, and keep the device busy.
//
// Files are opened on the Scheduler of sluice.Default, or by [OpenOn] on another. docs/direct-io.md
// has the rules of alignment and the figures.
//
// # Concurrency
//
// Any number of goroutines may use a File or a Buffer at once. One goroutine at a time may use a
// Reader or a Writer.
package direct
