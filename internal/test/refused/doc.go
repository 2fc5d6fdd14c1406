// Package refused runs the tests of other packages where the kernel refuses io_uring, Linux AIO or
// both, by a seccomp filter that is in force before they start: they must pass on what remains.
// TestTakenAway of package seccomp is about what is refused later.
package refused
