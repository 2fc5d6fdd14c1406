// Package positions tests Read, Write and Seek where several goroutines, Files or processes share
// the position of a file. Each of them alone is tested in package files.
package positions
