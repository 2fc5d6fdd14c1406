// Package closing tests Close of a file and of a Scheduler while operations are in flight. Close
// must leave nothing behind.
package closing
