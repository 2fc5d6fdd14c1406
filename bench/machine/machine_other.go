//go:build !linux

package machine

// describe adds nothing outside Linux.
func describe(*Info, string) {}
