// Package treegen makes trees of files for tests: random ones from a seed, and trees
// that a test describes.
//
// A [Tree] is data. [Random] returns a random one, [Build] makes one on disk, and
// [Shrink] reduces one for which a test fails. Tree.String prints the Go literal that
// describes it:
//
//	tree := treegen.Random(seed, treegen.Able(dir))
//	if err := treegen.Build(filepath.Join(dir, "source"), tree); err != nil {
//
// # Concurrency
//
// Trees are values. Several goroutines may build them, each in its own directory.
package treegen
