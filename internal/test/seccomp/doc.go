// Package seccomp tests processes to which the kernel refuses system calls: from their start,
// before the first use of a Scheduler, or in the middle of I/O. Others lose their descriptors. I/O
// goes on, and Explain says how. Package refused runs the tests of whole packages under such
// filters.
package seccomp
