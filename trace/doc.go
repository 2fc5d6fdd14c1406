// Package trace records what becomes of I/O operations, and exports it.
//
// A [Recorder] belongs to the Schedulers that have it in their Options. While
// it records, each operation leaves its four times (asked for, handed to the
// kernel, done, its goroutine running again) in buffers of a fixed size, and so
// do the drivers' own system calls. Nothing is allocated and nothing is written
// meanwhile.
//
//	rec, err := trace.New(trace.Options{})
//	…
//	s, err := sluice.NewScheduler(sluice.Options{Recorder: rec})
//	…
//	rec.Start()
//	work(s)
//	rec.Stop()
//	t := rec.Trace()
//	t.WritePerfetto(file) // or WriteTo, WriteChrome, WriteCSV
//
// A [Trace] is what was recorded. [Read] reads one back from the file that
// WriteTo writes, and from the file in which a program records that was started
// with SLUICE_TRACE=FILE in its environment.
package trace
