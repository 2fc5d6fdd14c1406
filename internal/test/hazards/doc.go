// Package hazards tests what can go wrong with asynchronous I/O: memory or a file that goes away
// under an operation, child processes, threads that end, races. Each test names its hazard and the
// guard against it.
package hazards
