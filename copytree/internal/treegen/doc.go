// Package treegen makes trees of files for tests: random ones from a seed, and
// such that a test writes down.
//
// A [Tree] is data. [Random] makes one up, [Build] makes it on disk, [Shrink]
// leaves out of one that fails what it can fail without, and Tree.String prints
// it as the Go literal that builds it again:
//
//	tree := treegen.Random(seed, treegen.Able(dir))
//	if err := treegen.Build(filepath.Join(dir, "source"), tree); err != nil {
//
// # Concurrency
//
// Trees are values; any number of goroutines may build them, in directories of
// their own.
package treegen
