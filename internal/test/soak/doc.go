// Package soak is a test that runs for hours. On each driver, goroutines use files in all ways:
// File, direct.File, Readers and Writers, a cache, mapped memory, Batches, classes, and Schedulers
// that are opened and closed. Each read is compared with the known content. At fixed points all
// goroutines pause, and the test records the process's resident memory, descriptors, goroutines and
// threads. It fails if one of them grows over the second half of its time.
//
//	go test ./internal/test/soak -soak.for=10m -soak.place=ext4 -v
//
// With -soak.plant the test leaks on purpose, or changes a byte of a file, and must fail.
package soak
