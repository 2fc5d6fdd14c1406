// Package examples has small programs that use sluice, each in a folder of its own. The
// documentation quotes them, and the tests here build and run them:
//
//   - rangeserver: an HTTP server of random reads, which end with their request
//   - synclog: a log that many goroutines append to and sync
//   - treesum: the checksums of a tree of files, by package batch
//   - indexread: the records that an index names, by direct.File.ReadMany
//   - compaction: a compaction beside point reads, by classes
//   - diskcopy: a stream from one disk to another, by package direct
package examples
