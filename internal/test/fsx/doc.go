// Package fsx is a test of whole files, after fsx of xfstests. Several goroutines perform random
// operations on one file through several handles. Each result is compared with a model in memory.
//
// The model is a slice of bytes with locks of ranges. An operation only locks the bytes that it
// reads or changes. So operations on different bytes run concurrently, even in the same block, and
// each result is still known. A change of the file's size also locks everything beyond the end.
//
// internal/test/differential compares results and errors with package os, one operation at a time.
// This test has no second file: it is about bytes under concurrency.
//
//	go test ./internal/test/fsx -fsx.place=xfs -fsx.driver=aio -fsx.kind=cache -fsx.ops=1000000
//
// A failure prints the operations on the wrong bytes. The SLUICE_SEED and the name of the round run
// the same operations again. With several goroutines their order may differ.
package fsx
