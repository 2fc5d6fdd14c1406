// Package overlay makes what `go build -overlay` takes to build a program whose
// disk I/O goes through sluice, without a change to the program's tree or to the
// toolchain: a file of JSON that names the files which are to be read in the
// place of others.
//
// There are three kinds of them. Those of the standard library's internal/poll
// are the toolchain's own with a few calls replaced (edits.go). The library,
// and golang.org/x/sys/unix that it needs, appear as packages of the program's
// module, in a directory that exists in the overlay alone (library.go): so they
// need no line in go.mod, go.sum, go.work or vendor/modules.txt, and no other
// module's version changes. And each main package, or each package with tests,
// gets a file that imports package transparent (targets.go).
package overlay
