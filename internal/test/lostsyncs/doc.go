// Package lostsyncs tests all ways to make a file durable, on a disk that fails writes. No call
// that has returned nil may have lost data. After a failed Sync a File stays failed.
//
// A round makes one file on a new file system (testenv.Lossy). It opens the file up to three times
// in different ways: as a File, a direct.File, an os.File. 2 to 32 goroutines write blocks and
// commit them in random ways, while the disk begins to refuse some blocks. Each block has a number,
// and the disk records the numbers of its blocks. When a call returns nil, the test asks the disk
// for each block that was written before the call. At the end the file is read back past the page
// cache.
//
// The kernel reports a loss once to each open file description. So of two concurrent Syncs of one
// os.File, one may return nil for lost data. For an os.File, also in a program built by `sluice
// build`, the test requires that another call of the same description had the error, and counts
// such calls.
//
//	go test ./internal/test/lostsyncs -lostsyncs.place=xfs -lostsyncs.rounds=1000
//	sluice test ./internal/test/lostsyncs -args -lostsyncs.built '-lostsyncs.kind=os,os once'
//
// The second command builds the test as `sluice build` builds a program: its os.Files go through
// sluice.
//
// A failure prints the calls of its round. The SLUICE_SEED and the name of the round run it again,
// possibly with another order of the goroutines.
package lostsyncs
