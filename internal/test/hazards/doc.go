// Package hazards tests the hazards of asynchronous I/O: memory or a file that goes away during an
// operation, child processes, threads that end, races. Each test names its hazard and the guard
// against it.
package hazards
