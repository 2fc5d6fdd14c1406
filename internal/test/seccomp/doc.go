// Package seccomp tests processes for which the kernel refuses system calls: from their start,
// before the first use of a Scheduler, or in the middle of I/O. Other processes lose their
// descriptors. I/O must continue, and Explain must say how. Package refused runs the tests of whole
// packages under such filters.
package seccomp
