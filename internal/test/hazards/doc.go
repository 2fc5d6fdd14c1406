// Package hazards tests what goes wrong with asynchronous I/O: memory and files that go away under an
// operation, processes, threads that end, races. Each test names its hazard and the guard against it.
package hazards
