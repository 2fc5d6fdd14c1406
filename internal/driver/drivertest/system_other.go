//go:build !linux

package drivertest

// systemTests need files of the system, and its answers to be Linux's.
var systemTests = []test{
	{"CloseLeavesNothing", 64, testCloseLeavesNothing},
}
