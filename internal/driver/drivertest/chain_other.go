//go:build !linux

package drivertest

// chainTests is empty: only drivers of Linux perform chains.
var chainTests []test
