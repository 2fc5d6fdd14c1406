//go:build !linux

// Package throttle makes a block device slow for chosen processes, on Linux.
package throttle

import "errors"

// Group is a control group for whose processes a device is slow. On this system there are none.
type Group struct{}

// Reads fails: it needs Linux.
func Reads(string, int) (*Group, error) {
	return nil, errors.New("devices can be throttled on Linux only")
}

// Add does nothing.
func (*Group) Add(int) error { return nil }

// Close does nothing.
func (*Group) Close() error { return nil }
