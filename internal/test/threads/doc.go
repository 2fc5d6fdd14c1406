// Package threads tests how many threads wait for a device: the calls that wait for a permit, and
// the threads of a program with 10,000 goroutines.
package threads
