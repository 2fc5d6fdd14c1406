package sys

import "syscall"

// Result returns the outcome of a function of x/sys or of this package as a kernel result: n, or
// the negated errno of err.
func Result(n int, err error) int32 {
	if e, ok := err.(syscall.Errno); ok {
		return -int32(e)
	}
	return int32(n)
}
