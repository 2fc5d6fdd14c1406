// Package differential performs the same random operations with package os and with sluice.
// Results, errors and contents must be equal after each.
package differential
