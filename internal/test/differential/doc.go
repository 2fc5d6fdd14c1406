// Package differential makes the same operations with package os and with sluice, at random, and
// demands the same results, errors and contents after each of them.
package differential
