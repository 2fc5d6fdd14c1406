//go:build !linux

package main

// inUse is false: the system does not say whether a process records into a file.
func inUse(string) bool { return false }
