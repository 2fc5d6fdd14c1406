// Package model predicts the cost of a program's operations on machines that are not at hand: 2 to
// 64 processors, with a device of 500 to 2,000,000 operations a second. It is a discrete-event
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
// sluice's own code decides. The Governor of package governor reads the simulated time, package
// admission says how much room there is for plain calls, a Budget of package budget has the
// permits, and a Signal of package pressure finds out whether the processors are taken. A change of
// one of these packages changes the model's predictions.
//
// # What is simulated
//
//   - The kernel shares the cores among threads (cores.go). A thread keeps its core for one burst
//     of a few microseconds.
//   - The Go runtime (processors.go) follows runtime/proc.go of Go 1.26. It has queues of each
//     processor and a global one, a next goroutine, stealing, and threads that look for work.
//     System calls keep their processor until the monitor takes it. The monitor sleeps for 20 µs to
//     10 ms, and ends time slices of 10 ms.
//   - A ring and its leader (ring.go) follow ioengine.Engine: the submitter, batches, two yields,
//     chains.
//   - A device (device.go) has a rate, a latency with a distribution, and interrupts for several
//     operations.
//   - A program (program.go) has goroutines that ask for one operation after the other, and
//     goroutines that only compute.
//
// # Not simulated
//
// Operations are direct reads of one kind. There is no page cache, no write, no fsync, no class, no
// context that ends and no other program. All processors are alike: there are no caches except in
// Costs.Bounce, no NUMA nodes, no interrupts on certain cores. The garbage collector does not run.
//
// # How far to trust it
//
// Measured has the costs of two processors, calibrated with docs/results/rand-depth.md. Costs.Copy,
// Bounce and Look have no table of two processors, and come from 16. TestMeasured and
// TestProcessors compare the model with machines of 2 and 16 processors, and list errors of more
// than 15 %. The model underestimates the processor time of os.File with many threads on many
// processors, so it favours os.File. It prefers the queue to plain calls if both are nearly equal.
// docs/results/model.md has the tables.
package model
