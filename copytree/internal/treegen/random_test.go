package treegen

import (
	"testing"
)

var everything = Options{Root: true, ACLs: true, MaxXattr: 60000, Nodes: 80}

// TestRandomDependsOnSeed checks that a printed seed makes the same tree again.
func TestRandomDependsOnSeed(t *testing.T) {
	if a, b := Random(1, everything).String(), Random(1, everything).String(); a != b {
		t.Errorf("seed 1 gives\n%s\nand\n%s", a, b)
	}
	if a, b := Random(1, everything).String(), Random(2, everything).String(); a == b {
		t.Errorf("seeds 1 and 2 both give\n%s", a)
	}
}

// TestRandomIsWellFormed checks that some hundred trees have every kind of node, and no node before
// one that it needs.
func TestRandomIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(300) {
		there := map[string]Kind{}
		for i, n := range Random(seed, everything) {
			dir, _ := parent(n.Path)
			kind, have := there[dir]
			if i > 0 && (!have || kind != Dir) {
				t.Fatalf("seed %d: %q has no directory before it", seed, n.Path)
			}
			if kind, have := there[n.Target]; n.Kind == HardLink && (!have || kind == Dir) {
				t.Fatalf("seed %d: %q links to %q, which is no file before it", seed, n.Path, n.Target)
			}
			if _, twice := there[n.Path]; twice {
				t.Fatalf("seed %d: %q is there twice", seed, n.Path)
			}
			there[n.Path] = n.Kind
			note(seen, n)
		}
	}
	for _, what := range []string{
		"Dir", "File", "Symlink", "HardLink", "FIFO", "Socket", "CharDevice", "BlockDevice", "xattr", "empty xattr", "large xattr",
		"ACL", "default ACL", "suid", "sgid", "sticky", "before 1970", "after 2106", "all hole", "zeros", "unwritten", "scattered", "255 bytes",
	} {
		if !seen[what] {
			t.Errorf("no %s in 300 trees", what)
		}
	}
}

// note records special properties of a node.
func note(seen map[string]bool, n Node) {
	_, name := parent(n.Path)
	file := n.Kind == File
	for what, is := range map[string]bool{
		n.Kind.String(): true, "ACL": n.ACL != nil, "default ACL": n.Default != nil,
		"suid": n.Mode&0o4000 != 0, "sgid": n.Mode&0o2000 != 0, "sticky": n.Mode&0o1000 != 0,
		"before 1970": n.Mtime.Sec < 0, "after 2106": n.Mtime.Sec > 1<<32, "255 bytes": len(name) == 255,
		"all hole": file && n.Size > 0 && n.Data == nil, "scattered": len(n.Data) > 5,
	} {
		seen[what] = seen[what] || is
	}
	for _, x := range n.Xattrs {
		seen["xattr"] = true
		seen["empty xattr"] = seen["empty xattr"] || x.Len == 0
		seen["large xattr"] = seen["large xattr"] || x.Len == everything.MaxXattr
	}
	for _, e := range n.Data {
		seen["zeros"] = seen["zeros"] || e.Fill == Zeros
		seen["unwritten"] = seen["unwritten"] || e.Fill == Unwritten
	}
}

// TestNoiseHasNoZeros checks that random data never looks like a hole.
func TestNoiseHasNoZeros(t *testing.T) {
	b := make([]byte, 64<<10+3)
	noise(b, 7, 4096)
	for i := 0; i+8 <= len(b); i += 8 {
		if [8]byte(b[i:]) == [8]byte{} {
			t.Fatalf("zeros at %d", i)
		}
	}
}
