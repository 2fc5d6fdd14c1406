// Package verify writes the changes of package fix, and takes them back unless the program's own
// tests have the same results afterwards. It is `sluice fix -verify`.
//
//	report, err := verify.Run(ctx, result, verify.Options{Patterns: []string{"./..."}})
//
// # How
//
// The tests run twice before the change. A test whose two results differ is flaky: the report
// names it, and it does not count. Then the files are written, go.mod gets the requirement, and
// the tests run once more. Tests are compared by name, so a test that does not run any more
// differs, too. The tests that differ run again alone, with the change and without: if these two
// results are equal, the report names the test, and it does not count.
//
// Before the first file is written, all files that may change are copied into a directory of
// the user's cache, with go.mod, go.sum, go.work and go.work.sum (backup.go). Run takes
// everything back from there when a test differs, on an error and when ctx ends. After a crash,
// Undo does it.
//
// # Concurrency
//
// One Run works on a tree at a time: the backup's directory, which is made at once or not at
// all, keeps others away.
package verify
