// Package lostsyncs tests all ways to put a file on the disk, while the disk refuses writes. No
// call that has returned nil may have lost data. Once a Sync of a File has failed, the File stays
// failed.
//
// A round makes one file on a new file system (testenv.Lossy), and opens it up to three times, each
// time in another way: as a File, a direct.File, an os.File. From 2 to 32 goroutines write blocks
// and commit them, in random ways, while the disk begins to refuse some blocks. Each block has a
// number, and the disk notes the numbers of the blocks that it has taken. So when a call returns
// nil, the test asks the disk for each block that was written before the call. The file is read
// back past the page cache afterwards.
//
// The kernel reports a loss once to each open file description. So of two Syncs of one os.File at
// the same time, one may return nil for lost data. For an os.File, also in a program built by
// `sluice build`, the test demands that another call of the same description had the error, and
// counts such calls.
//
//	go test ./internal/test/lostsyncs -lostsyncs.place=xfs -lostsyncs.rounds=1000
//	sluice test ./internal/test/lostsyncs -args -lostsyncs.built '-lostsyncs.kind=os,os once'
//
// The second command builds the test itself as `sluice build` builds a program: its os.Files go
// through sluice.
//
// A failure prints the calls of its round, and the SLUICE_SEED and the name of the round that run
// it again. The order of the goroutines may be another one then.
package lostsyncs
