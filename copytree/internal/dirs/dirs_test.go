package dirs

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		path, dir, name string
		slash           bool
	}{
		{"a", ".", "a", false},
		{"a/", ".", "a", true},
		{"a/b", "a/", "b", false},
		{"/a", "/", "a", false},
		{"/a//b//", "/a//", "b", true},
		{"/", "/", ".", true},
		{".", ".", ".", true},
		{"..", "..", ".", true},
		{"a/..", "a/..", ".", true},
		{"a/.", "a/.", ".", true},
		{"..a", ".", "..a", false},
		{"", "", ".", true},
	} {
		p := Split(c.path)
		if p.Dir != c.dir || p.Name.String() != c.name || p.Slash != c.slash {
			t.Errorf("Split(%q) = %q, %q, %t; want %q, %q, %t", c.path, p.Dir, p.Name, p.Slash, c.dir, c.name, c.slash)
		}
	}
}

// TestPaths checks that names are joined unchanged.
func TestPaths(t *testing.T) {
	base := &Dir{Pair: &option.Pair{Src: "from/", Dst: "/to"}}
	root := base.Child(at.NameOf("from"), at.NoFollow)
	in := root.Child(at.NameOf("a b"), at.NoFollow)
	name := at.NameOf("\xff")
	for _, c := range [][2]string{
		{base.SrcOf(name), "from/"},
		{root.Src(), "from/"},
		{root.SrcOf(name), "from/\xff"},
		{in.SrcOf(name), "from/a b/\xff"},
		{in.Dst(), "/to/a b"},
		{in.DstOf(name), "/to/a b/\xff"},
	} {
		if c[0] != c[1] {
			t.Errorf("path %q; want %q", c[0], c[1])
		}
	}
}

// TestCloseLeavesWhatIsUsed checks that a finished directory stays open for a worker that makes a
// hard link to a file in it.
func TestCloseLeavesWhatIsUsed(t *testing.T) {
	h := New(at.New(), 4)
	d := &Dir{handle: closed()}
	src, dst := openBase(t, h.kernel), openBase(t, h.kernel)
	h.Opened(d, src, dst)
	h.Close(h.kernel, d)
	if d.SrcFD != src || d.DstFD != dst {
		t.Fatalf("descriptors %d, %d of a directory in use; want %d, %d", d.SrcFD, d.DstFD, src, dst)
	}
	h.Release(d)
	h.Close(h.kernel, d)
	if d.SrcFD >= 0 || d.DstFD >= 0 || h.Idle() != 0 {
		t.Errorf("descriptors %d, %d, %d idle of an unused directory; want none", d.SrcFD, d.DstFD, h.Idle())
	}
}

// TestCloseIdle checks that a directory that was in use when it was closed is closed in the end.
func TestCloseIdle(t *testing.T) {
	h := New(at.New(), 4)
	d := &Dir{handle: closed()}
	h.Opened(d, openBase(t, h.kernel), openBase(t, h.kernel))
	h.Close(h.kernel, d)
	h.Release(d)
	if h.CloseIdle(); d.SrcFD >= 0 || d.DstFD >= 0 {
		t.Errorf("descriptors %d, %d are open in the end", d.SrcFD, d.DstFD)
	}
}

func openBase(t *testing.T, k *at.Kernel) int {
	t.Helper()
	fd, err := k.OpenBase(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return fd
}
