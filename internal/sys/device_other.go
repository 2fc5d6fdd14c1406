//go:build !linux || !(amd64 || arm64)

package sys

// Device returns false. Only drivers of Linux need it.
func Device(int) (number uint64, ok bool) { return 0, false }
