// Package seccomp tests processes to which the kernel refuses system calls, from their start, before the
// first use of a Scheduler or in the middle of I/O, and those that lose descriptors. I/O goes on, and
// Explain says why it goes another way. Package refused runs the tests of whole packages so.
package seccomp
