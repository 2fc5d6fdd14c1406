// Package fsx is a test of whole files, after fsx of xfstests. Random operations run on one file, by
// several goroutines through several handles, and each result is compared with a model in memory.
//
// Its model is a slice of bytes with locks of ranges. An operation locks the bytes that it reads or
// changes, and nothing else: so it runs beside any other of different bytes, even of the same block, and its
// result is known all the same. What changes the file's size also locks everything beyond the end.
//
// The test of internal/test/differential compares results and errors with package os, one
// operation at a time. This test has no second file: it is about the bytes, when much happens at once.
//
//	go test ./internal/test/fsx -fsx.place=xfs -fsx.driver=aio -fsx.kind=cache -fsx.ops=1000000
//
// A failure prints the operations on the bytes that are wrong, and the SLUICE_SEED and the name of the
// round that run the same operations again. With several goroutines their order may be another one.
package fsx
