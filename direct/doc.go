// Package direct is files past the page cache (O_DIRECT), without O_DIRECT's conditions: any
// offset, length and memory will do, and the size of a file is exact to the byte.
//
//	f, err := direct.Create("log")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	n, err := f.WriteAt(record, off)
//
// A [File] reads and writes at offsets. [File.ReadBuffer] and [File.ReadMany] read into memory of
// the Scheduler, a [Buffer], without a copy. A [Reader] and a [Writer] are streams through a File,
// and keep the device busy.
//
// Files are opened on the Scheduler of sluice.Default, or by [OpenOn] on another. docs/direct-io.md
// has the rules of alignment and the figures.
//
// # Concurrency
//
// Any number of goroutines at once may use a File and a Buffer; one at a time a Reader or a Writer.
package direct
