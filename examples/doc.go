// Package examples has six small programs that use sluice, one in each folder. The documentation
// quotes these programs, and the tests of this package build and run them:
//
//   - rangeserver: an HTTP server of random reads, which end with their request
//   - synclog: a log to which many goroutines append records
//   - treesum: the checksums of a tree of files, by package batch
//   - indexread: reads of the records that an index names, by direct.File.ReadMany
//   - compaction: a compaction beside small reads, by classes
//   - diskcopy: a copy from one disk to another, by package direct
package examples
