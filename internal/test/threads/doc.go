// Package threads tests how many threads wait for a device: which calls wait for a permit, and how
// many threads a program with 10,000 goroutines has.
package threads
