// Package lostsyncs tests copies with a Sync on a disk that fails writes: if the copy returned nil,
// no data is lost. It runs the rounds of the library's internal/test/lostsyncs, with trees that are
// copied while goroutines write and sync a file. It consists of a test.
package lostsyncs
