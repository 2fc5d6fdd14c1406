// Package threads tests how many threads wait for a device: which calls wait for a permit of its budget,
// and how many threads a program with many goroutines has.
package threads
