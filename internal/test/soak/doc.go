// Package soak is a test that runs for hours. On each driver, goroutines use files in all the ways that there
// are: File, direct.File, Readers and Writers, a cache, mapped memory, Batches, classes, and Schedulers that
// are opened and closed. What they read is compared with what they know to be there. At fixed points all of
// them pause, and the test notes what the process holds: resident memory, descriptors, goroutines, threads.
// It fails if any of these grows over the second half of its time.
//
//	go test ./internal/test/soak -soak.for=10m -soak.place=ext4 -v
//
// With -soak.plant the test leaks by itself, or changes a byte of a file, and has to fail.
package soak
