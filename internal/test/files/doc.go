// Package files tests each method of File (Read, Seek, Truncate …) and the functions that open
// files. A call that package os has is compared with it, on all kinds of files: add it to the calls
// of calls_test.go. Contexts, calls on ranges and Stats are here, too.
package files
