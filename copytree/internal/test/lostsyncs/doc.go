// Package lostsyncs tests that a copy with a Sync that has returned nil has lost no data, where the
// disk refuses what is written. It consists of a test: the rounds of the library's
// internal/test/lostsyncs, with trees that are copied while goroutines write and sync a file.
package lostsyncs
