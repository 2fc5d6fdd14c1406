//go:build !linux

// Package cgroup limits chosen processes, on Linux.
package cgroup

import "errors"

// Group is a control group with a limit. This system has none.
type Group struct{}

// Reads fails: it needs Linux.
func Reads(string, int) (*Group, error) {
	return nil, errors.New("devices can be throttled on Linux only")
}

// Memory fails: it needs Linux.
func Memory(int64) (*Group, error) {
	return nil, errors.New("memory can be limited on Linux only")
}

// LimitMemory does nothing.
func (*Group) LimitMemory(int64) error { return nil }

// Add does nothing.
func (*Group) Add(int) error { return nil }

// Close does nothing.
func (*Group) Close() error { return nil }
