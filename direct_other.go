//go:build !linux

package sluice

// Only Linux has an asynchronous path for direct I/O.
const oDirect = 0
