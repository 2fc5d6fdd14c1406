// Package trace records where the time of I/O operations goes, and exports what it has recorded.
//
//	rec, err := trace.New(trace.Options{})
//	…
//	s, err := sluice.NewScheduler(sluice.Options{Recorder: rec}) // or s.Record(rec)
//	…
//	rec.Start()
//	work(s)
//	rec.Stop()
//	t := rec.Trace()
//	t.WritePerfetto(file) // or WriteTo, WriteCSV
//
// Each operation has four times, and so three spans:
//
//	time       when                                       the span up to the next time
//	Queued     the goroutine asked for the operation      InQueue: it waits in the Scheduler
//	Submitted  the kernel got the operation               InDevice: the kernel performs it
//	Completed  the Scheduler saw that it was done         Waking: its goroutine waits to run
//	Woken      the goroutine ran again
//
// A [Trace] also has the system calls of the drivers.
//
// [Read] reads the files of WriteTo and of [Create]. SLUICE_TRACE=FILE in the environment of a
// program makes its Schedulers record in FILE, as a Recorder of Create does. The command "sluice
// trace" reads these files, too.
//
// # Memory
//
// A Recorder has a fixed size. Recording allocates nothing, and makes no system call, except that a
// Recorder of [Create] extends its file at times.
//
// # Concurrency
//
// Any number of goroutines may call the methods of a [Recorder] at once. A [Trace] is plain data:
// any number of goroutines may read it.
package trace
