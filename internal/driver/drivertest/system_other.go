//go:build !linux

package drivertest

// systemTests need files of the operating system. Most of them expect Linux's results.
var systemTests = []test{
	{"CloseLeavesNothing", 64, testCloseLeavesNothing},
}
