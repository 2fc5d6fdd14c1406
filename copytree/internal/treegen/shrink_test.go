package treegen

import (
	"slices"
	"strings"
	"testing"
)

// TestShrink reduces trees to the single file that makes them fail, and its directories.
func TestShrink(t *testing.T) {
	fails := func(t Tree) bool {
		return slices.ContainsFunc(t, func(n Node) bool { return n.Kind == FIFO && n.Mtime.Sec < 0 })
	}
	tried := 0
	for seed := range uint64(300) {
		tree := Random(seed, everything)
		if !fails(tree) {
			continue
		}
		tried++
		small := Shrink(tree, fails)
		last := small[len(small)-1]
		if !fails(small) || len(small) != strings.Count(last.Path, "/")+2 {
			t.Errorf("seed %d: shrunk to %v", seed, small)
		}
		if last.UID != 0 || last.Mode != 0o755 || last.ACL != nil {
			t.Errorf("seed %d: %v is not plain", seed, last)
		}
	}
	if tried == 0 {
		t.Error("no tree failed")
	}
}

// TestOnly checks that Only removes a node together with the nodes that need it.
func TestOnly(t *testing.T) {
	tree := Tree{{}, {Path: "a"}, {Path: "a/f", Kind: File}, {Path: "l", Kind: HardLink, Target: "a/f"}, {Path: "b"}}
	got := tree.Only(func(i int) bool { return i != 1 })
	if len(got) != 2 || got[1].Path != "b" {
		t.Errorf("Only = %v; want the root and b", got)
	}
}

// TestString checks that String returns valid Go.
func TestString(t *testing.T) {
	tree := Tree{{Mode: 0o755}, {Path: "a\xff", Kind: File, Mode: 0o4600, Size: 5, Data: []Extent{{0, 5, 9}}, Mtime: Time{-1, 2}}}
	want := `treegen.Tree{
	{Path: "", Kind: treegen.Dir, Mode: 0o755},
	{Path: "a\xff", Kind: treegen.File, Mode: 0o4600, Mtime: treegen.Time{Sec: -1, Nsec: 2}, Size: 5, Data: []treegen.Extent{treegen.Extent{Off:0, Len:5, Fill:9}}},
}`
	if got := tree.String(); got != want {
		t.Errorf("String = %s\nwant %s", got, want)
	}
}
