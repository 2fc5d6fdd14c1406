// Package crashlog tests which records are left after a crash. Goroutines append records to logs in
// every way that there is to write and to commit a file, and note each record that was
// acknowledged. Then the file system is cut off, the device's power fails, or the process is
// killed. A record that was acknowledged before must be there, whole.
//
// A record has its length, the name of its log, its number and a checksum. All of its bytes follow
// from the name and the number, so that a test knows every byte that a file may have
// (record_linux_test.go).
//
// TestCut shuts file systems down by the kernel's call. The device keeps all that it has received,
// so TestCut finds a commit that has written too little. TestReplay records the writes and flushes
// that a device receives, and builds what may be on the device if its power fails: for every prefix
// of the requests, and with requests missing or torn that no flush has followed. TestReplay also
// finds a commit without a flush. TestKill kills a process. The page cache survives that, so all
// written bytes must be there even if nothing was committed.
//
// One of the logs is written with package os. If it has lost a record, the device or the file
// system has, and what the others have lost at that moment is counted apart.
//
//	go test ./internal/test/crashlog -run 'TestCut/xfs' -crashlog.cuts=1000
package crashlog
