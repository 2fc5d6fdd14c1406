// Package differential makes the same random operations with package os and with sluice, and
// demands the same results, errors and contents after each.
package differential
