// Package fix rewrites programs that open files with package os so that they open them with
// package sluice. It is the engine of `sluice fix`.
//
//	result, err := fix.Run(ctx, fix.Options{Patterns: []string{"./..."}})
//	if err != nil {
//		return err
//	}
//	os.Stdout.Write(result.Diff())
//	err = result.Write()
//
// # How
//
// The calls are easy: os.Open becomes sluice.Open. The types are the work: each variable,
// field, parameter and result that such a file reaches must become a *sluice.File, and none
// that an os.Stdin reaches.
//
//   - load.go reads the packages, with their tests, for the current system. For each other
//     system that one of their files is for it reads those that differ there, and those that
//     see the difference (differing.go). All share one syntax tree a file.
//   - A node stands for the files in one variable, field, parameter, result or expression.
//     Assignments, calls and the like join nodes into classes (flow.go, walk.go): all files of
//     a class have one type.
//   - A class is pinned if something in it must stay an *os.File: it is passed to exec.Cmd,
//     comes from os.Stdin, or is in the exported API (pins.go). What reaches an interface from
//     which the program takes an *os.File again is pinned, too (looks.go): by v.(*os.File), by
//     v.(T) where T may be *os.File (typeargs.go), or by package reflect (reflected.go).
//   - Interface values are not followed inside other packages (foreign.go). A file that goes
//     to one in an any is pinned there. One that goes in another interface, such as an
//     io.Writer, may come out of the same package at any place.
//   - A class that is not pinned and has a call that can be replaced is rewritten, all of it
//     (edit.go).
//   - check.go type-checks the result in memory. A class whose rewriting does not compile is
//     pinned, and the rest is tried again. Nothing is written before all of it compiles.
//
// # Concurrency
//
// Run may be called by any number of goroutines at once. A Result belongs to one goroutine.
package fix
