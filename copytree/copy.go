package copytree

import "context"

// Pair is a source, and the path that its copy gets. Alone copies a directory
// without what is in it: over one that is there, its attributes are all that
// is copied (cp --parents).
type Pair struct {
	Dst, Src string
	Alone    bool
}

// Copy copies src, a file or a tree, to the path dst itself, never into it
// (cp -T). Where dst is a directory and src is one, they are merged. Names are
// bytes; those that are not UTF-8 are copied like others.
//
// What was not done when ctx ended is not begun; the file in progress is
// removed, and the error is ctx's cause, joined with those of files.
func Copy(ctx context.Context, dst, src string, o Options) (Result, error) {
	return CopyAll(ctx, []Pair{{Dst: dst, Src: src}}, o)
}
