//go:build !linux

// Package throttle makes a block device slow for chosen processes, on Linux.
package throttle

import "errors"

// Group is processes for which a device is slow: there is none here.
type Group struct{}

// Reads says that there is none.
func Reads(string, int) (*Group, error) {
	return nil, errors.New("devices are throttled on Linux alone")
}

// Add does nothing.
func (*Group) Add(int) error { return nil }

// Close does nothing.
func (*Group) Close() error { return nil }
