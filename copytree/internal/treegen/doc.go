// Package treegen makes trees of files for tests: random trees from a seed, and trees that a test
// describes.
//
// A [Tree] is data. [Random] returns a random one, [Build] makes it on disk, and [Shrink] reduces
// one that fails a test. Tree.String prints its Go literal:
//
//	tree := treegen.Random(seed, treegen.Able(dir))
//	if err := treegen.Build(filepath.Join(dir, "source"), tree); err != nil {
//
// # Concurrency
//
// Trees are values. Several goroutines may build them, each in its own directory.
package treegen
