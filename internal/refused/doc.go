// Package refused runs the tests of other packages where the kernel refuses io_uring, Linux AIO or both, by a
// seccomp filter that is in force before they start: they must pass on what remains. What is refused later is
// a matter of the root's TestTakenAway, and of TestTaken here.
package refused
