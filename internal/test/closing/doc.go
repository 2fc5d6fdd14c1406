// Package closing tests Close of a file and of a Scheduler beside operations in flight, and that both
// leave nothing behind.
package closing
