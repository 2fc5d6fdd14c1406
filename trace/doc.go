// Package trace records what happens to I/O operations, and exports it.
//
// A [Recorder] is given to Schedulers in their Options, or later by Scheduler.Record.
// While it records, each operation leaves four times: when it was asked for
// ([Op].Queued), when it was handed to the kernel (Submitted), when it was done
// (Completed), and when its goroutine ran again (Woken). The drivers' own system
// calls are recorded too. The buffers have a fixed size; recording allocates nothing
// and makes no system call, except that a Recorder of [Create] extends its file at times.
//
//	rec, err := trace.New(trace.Options{})
//	…
//	s, err := sluice.NewScheduler(sluice.Options{Recorder: rec})
//	…
//	rec.Start()
//	work(s)
//	rec.Stop()
//	t := rec.Trace()
//	t.WritePerfetto(file) // or WriteTo, WriteCSV
//
// A [Trace] is what was recorded. [Read] reads one back from a file. That is
// either a file that WriteTo has written, or the file in which a program records
// that was started with SLUICE_TRACE=FILE in its environment.
//
// # Concurrency
//
// The methods of a [Recorder] may be called by any number of goroutines at once.
// A [Trace] is plain data: any number of goroutines may read it.
package trace
