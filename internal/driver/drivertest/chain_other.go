//go:build !linux

package drivertest

// chainTests: no driver performs chains elsewhere.
var chainTests []test
