// Package model answers for machines that nobody has at hand: what a program's operations cost on 2
// to 64 processors, with a device of 500 to 2,000,000 operations a second. It is a discrete-event
// simulation in simulated time.
//
//	s := model.Scenario{
//		Processors: 32, Costs: model.Xeon,
//		Device:     model.Device{Rate: 1e6, Latency: 80 * time.Microsecond},
//		Program:    model.Program{Goroutines: 256},
//	}
//	os := s.Run(model.OSFile, 50*time.Millisecond, 250*time.Millisecond)
//	is := s.Run(model.Sluice, 50*time.Millisecond, 250*time.Millisecond)
//
// sluice's own code decides: the Governor of package governor reads the simulated time, package
// admission chooses the path, a Budget of package budget has the permits, and a Signal of package
// pressure finds out whether the processors are taken. A change of one of these packages changes
// the model's answers.
//
// # What is simulated
//
//   - The kernel shares the cores among threads (cores.go). A thread keeps its core for one burst
//     of a few microseconds; a thread that was woken comes next.
//   - The Go runtime (processors.go) follows runtime/proc.go of Go 1.26. There are queues of each
//     processor and of all, the goroutine that was made ready last, stealing, and threads that
//     look for work. System calls keep their processor until the monitor takes it. The monitor
//     sleeps for 20 µs to 10 ms, and ends time slices of 10 ms.
//   - A ring and its leader (ring.go) follow ioengine.Engine: who submits, batches, two yields,
//     chains.
//   - A device (device.go) has a rate, a latency with a distribution, and interrupts for several
//     operations.
//   - A program (program.go) has goroutines that ask for one operation after the other, and
//     goroutines that only compute.
//
// # What is not simulated
//
// Operations are direct reads of one kind. There is no page cache, no writes, no fsyncs, no
// classes, no contexts that end and no other program. All processors are alike: there are no caches
// but for Costs.Bounce, no NUMA nodes, no interrupts on certain cores. The garbage collector does
// not run.
//
// # How far to trust it
//
// Measured has the costs of two processors, calibrated with docs/results/rand-depth.md. Costs.Copy,
// Bounce and Look have no table of two processors, and come from 16. TestMeasured and
// TestProcessors compare the model with machines of 2 and 16 processors, and say where it is off by
// more than 15 %. It has too little processor time for os.File with many threads on many
// processors, so it flatters os.File. It prefers the queue to plain calls where both are near.
// docs/results/model.md has the tables.
package model
