// Package trace records when each I/O operation was asked for, began and ended, and exports the
// records.
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
// Each operation has four times, and three spans between them:
//
//	time       when                                       the span up to the next time
//	Queued     the goroutine asked for the operation      InQueue: it waits in the Scheduler
//	Submitted  the kernel got the operation               InDevice: the kernel performs it
//	Completed  the Scheduler saw that it was done         Waking: its goroutine waits to run
//	Woken      the goroutine ran again
//
// A [Trace] also has the system calls.
//
// A Recorder of [New] keeps its records in memory, and a Recorder of [Create] in a file. If
// SLUICE_TRACE=FILE is in the environment of a program, all its Schedulers record into FILE. [Read]
// and the command "sluice trace" read the files of WriteTo, of Create and of SLUICE_TRACE.
//
// # Memory
//
// A Recorder has a fixed size, and keeps the last records. Recording an operation allocates
// nothing, and makes no system call, except that a Recorder of [Create] sometimes extends its file.
//
// # Concurrency
//
// Any number of goroutines may call the methods of a [Recorder] at once. A [Trace] is plain data:
// any number of goroutines may read it.
package trace
