// Package model predicts the cost of a program's operations on machines that are not at hand: 2 to
// 64 processors, a device of 500 to 2,000,000 operations a second. It simulates discrete events.
//
// sluice's own code decides: a Governor, which reads the simulated time, a Budget, a Signal of
// package pressure, package admission and ioengine.Growth.
//
// # What is simulated
//
//   - The machine (hardware.go): threads share its cores, in bursts of a few microseconds. Its
//     device has a rate, a latency with a distribution, and interrupts for several operations.
//   - The Go runtime (processors.go) as in runtime/proc.go of Go 1.26: queues of each processor and
//     a global one, stealing, threads that look for work. A system call keeps its processor until
//     the monitor takes it. The monitor also ends time slices.
//   - A ring and its leader (ring.go) as in ioengine.Engine: batches, two yields, relays.
//   - A program (program.go): goroutines that ask for operations, and goroutines that only compute.
//
// # Not simulated
//
// Operations are direct reads of one kind. There is no page cache, no write, no fsync, no class, no
// context that ends, no other program, no garbage collector, no NUMA node, no goroutine that reaps
// beside the leader, and no cache but for Costs.Bounce.
//
// # How far to trust it
//
// Measured is calibrated with two processors (docs/results/rand-depth.md), but for Costs.Bounce and
// Look, which come from 16. TestMeasured and TestProcessors compare the model with machines of 2
// and 16 processors: docs/results/model.md says what is wrong.
package model
