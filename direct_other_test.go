//go:build !linux

package sluice_test

const oDirect = 0
