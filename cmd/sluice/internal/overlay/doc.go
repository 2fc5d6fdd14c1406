// Package overlay writes the overlay with which `go build -overlay` builds a program
// whose disk I/O goes through sluice. Neither the program's tree nor the toolchain
// changes. An overlay is a JSON file of files to read instead of others.
//
// It has three kinds of files:
//
//   - internal/poll and two functions of package os: the toolchain's own files, with a few
//     calls replaced (edits.go).
//   - The library, and golang.org/x/sys/unix, which it imports: as packages of the program's
//     module, in a directory that exists only in the overlay (library.go). So they need no
//     line in go.mod, go.sum, go.work or vendor/modules.txt, and change no module's version.
//   - A file that imports package transparent, in each main package, or in each package with
//     tests (targets.go).
package overlay
