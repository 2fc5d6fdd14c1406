// Package closing tests Close of a file and of a Scheduler while operations are in flight. Neither
// leaves anything behind.
package closing
