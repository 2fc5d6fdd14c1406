//go:build !linux

package sluice_test

import "testing"

var fileSystems map[string]func(t *testing.T, size int64) (dir string)
