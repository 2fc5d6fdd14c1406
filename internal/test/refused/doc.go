// Package refused runs the tests of other packages while the kernel refuses io_uring, Linux AIO or
// both. A seccomp filter is in force before they start, and they must pass with the rest.
// TestTakenAway of package seccomp refuses calls later.
package refused
