// Package crashlog tests which records are left after a crash. Goroutines append records to logs in
// every way to write and to commit a file, and note each acknowledged record. Then the file system
// is cut off, the device's power fails, or the process is killed. Every record that was
// acknowledged before must be there, whole.
//
// A record has its length, the name of its log, its number and a checksum. All its bytes follow
// from the name and the number, so that a test knows every byte that a file may have
// (record_linux_test.go).
//
// TestCut shuts file systems down by the kernel's call. The device keeps all data that it has
// received, so TestCut finds a commit that has written too little. TestReplay records a device's
// writes and flushes, and builds possible contents of the device after a power failure: every
// prefix of the requests, and states in which requests after the last flush are missing or torn. So
// TestReplay also finds a commit without a flush. TestKill kills a process. The page cache survives
// that, so all written bytes must be there, committed or not.
//
// One log is written with package os. If it has lost a record, the device or the file system is at
// fault, and losses of other logs at that moment are counted separately.
//
//	go test ./internal/test/crashlog -run 'TestCut/xfs' -crashlog.cuts=1000
package crashlog
