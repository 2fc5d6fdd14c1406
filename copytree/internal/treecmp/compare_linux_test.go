package treecmp_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// tree has one node of each kind, each with something to change.
func tree(o treegen.Options) treegen.Tree {
	when := treegen.Time{Sec: 1e9, Nsec: 1}
	t := treegen.Tree{
		{Mode: 0o755, Mtime: when, Atime: when},
		{Path: "d", Mode: 0o755, Mtime: when, Atime: when},
		{Path: "d/f", Kind: treegen.File, Mode: 0o644, Size: 300000, Data: []treegen.Extent{{Off: 200704, Len: 4096, Fill: 3}}, Mtime: when, Atime: when},
		{Path: "h", Kind: treegen.File, Mode: 0o644, Size: 100000, Data: []treegen.Extent{{Len: 100000, Fill: 4}}},
		{Path: "d/g", Kind: treegen.HardLink, Target: "d/f"},
		{Path: "s\xff", Kind: treegen.Symlink, Target: "d/f", Mtime: when},
		{Path: "p", Kind: treegen.FIFO, Mode: 0o600},
		{Path: "e", Mode: 0o700},
	}
	if o.MaxXattr > 0 {
		t[3].Xattrs = []treegen.Xattr{{Name: "user.a", Len: 20, Fill: 1}, {Name: "user.empty"}}
	}
	if o.ACLs {
		t[1].Default = treegen.ACL{{Tag: treegen.ACLUserObj, Perm: 7}, {Tag: treegen.ACLGroupObj, Perm: 5}, {Tag: treegen.ACLOther}}
	}
	if o.Root {
		t = append(t, treegen.Node{Path: "n", Kind: treegen.CharDevice, Mode: 0o600, Major: 1, Minor: 3})
	}
	return t
}

// change replaces the node at path.
func change(path string, f func(*treegen.Node)) func(treegen.Tree) treegen.Tree {
	return func(t treegen.Tree) treegen.Tree {
		i := slices.IndexFunc(t, func(n treegen.Node) bool { return n.Path == path })
		f(&t[i])
		return t
	}
}

func add(n treegen.Node) func(treegen.Tree) treegen.Tree {
	return func(t treegen.Tree) treegen.Tree { return append(t, n) }
}

// planted has all kinds of differences, with the report of Compare.
var planted = []struct {
	change func(treegen.Tree) treegen.Tree
	path   string
	what   string
	root   bool // only root can make it
}{
	{add(treegen.Node{Path: "e/more"}), "e", "only the second has", false},
	{add(treegen.Node{Path: "-\xfe", Kind: treegen.File}), "", "only the second has", false},
	{change("h", func(n *treegen.Node) { n.Path = "i" }), "", "only the first has", false},
	{change("p", func(n *treegen.Node) { n.Kind = treegen.Socket }), "p", "type", false},
	{change("e", func(n *treegen.Node) { *n = treegen.Node{Path: "e", Kind: treegen.Symlink, Target: "d"} }), "e", "type", false},
	{change("h", func(n *treegen.Node) { n.Mode = 0o4644 }), "h", "mode", false},
	{change("", func(n *treegen.Node) { n.Mode = 0o1755 }), "", "mode", false},
	{change("p", func(n *treegen.Node) { n.Mode = 0o660 }), "p", "mode", false},
	{change("s\xff", func(n *treegen.Node) { n.UID = 1 }), "s\xff", "owner", true},
	{change("d", func(n *treegen.Node) { n.GID = 1 }), "d", "owner", true},
	{change("d", func(n *treegen.Node) { n.Mtime.Nsec = 2 }), "d", "mtime", false},
	{change("s\xff", func(n *treegen.Node) { n.Mtime.Nsec = 2 }), "s\xff", "mtime", false},
	{change("h", func(n *treegen.Node) { n.Atime.Nsec = 2 }), "h", "atime", false},
	{change("h", func(n *treegen.Node) { n.Size++ }), "h", "size", false},
	{change("h", func(n *treegen.Node) { n.Data[0].Fill = 5 }), "h", "bytes from 0", false},
	{change("h", func(n *treegen.Node) { n.Data[0].Len-- }), "h", "bytes from 99999", false},
	{change("d/f", func(n *treegen.Node) { n.Data = append(n.Data, treegen.Extent{Off: 262144, Len: 4096}) }), "d/f", "data", false},
	{change("d/f", func(n *treegen.Node) { n.Data = append(n.Data, treegen.Extent{Off: 204800, Len: 90000}) }), "d/f", "bytes allocated", false},
	{change("d/g", func(n *treegen.Node) { n.Target = "h" }), "d/g", "is a link of", false},
	{change("s\xff", func(n *treegen.Node) { n.Target = "d/F" }), "s\xff", "symbolic link to", false},
	{change("n", func(n *treegen.Node) { n.Minor = 5 }), "n", "device", true},
}

// compare builds t and other(t), and compares them.
func compare(t *testing.T, what treecmp.Aspect, other func(treegen.Tree) treegen.Tree) []treecmp.Difference {
	t.Helper()
	dir := t.TempDir()
	o := treegen.Able(dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := treegen.Build(a, tree(o)); err != nil {
		t.Fatal(err)
	}
	if err := treegen.Build(b, other(tree(o))); err != nil {
		t.Fatal(err)
	}
	found, err := treecmp.Compare(a, b, what)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPlanted(t *testing.T) {
	for _, p := range planted {
		t.Run(fmt.Sprintf("%s of %q", p.what, p.path), func(t *testing.T) {
			if p.root && os.Geteuid() != 0 {
				skip.For(t, skip.Root, "this needs root")
			}
			found := compare(t, treecmp.All|treecmp.Blocks, p.change)
			is := func(d treecmp.Difference) bool { return d.Path == p.path && d.What == p.what }
			if !slices.ContainsFunc(found, is) {
				t.Errorf("found %v; want %s of %q", found, p.what, p.path)
			}
		})
	}
}

// TestPlantedAttributes makes differences in attributes that some file systems lack.
func TestPlantedAttributes(t *testing.T) {
	o := treegen.Able(t.TempDir())
	if o.MaxXattr == 0 || !o.ACLs {
		skip.For(t, skip.ACL, "no attributes or no ACLs here")
	}
	acl := treegen.ACL{{Tag: treegen.ACLUserObj, Perm: 7}, {Tag: treegen.ACLUser, Perm: 7, ID: 5}, {Tag: treegen.ACLGroupObj, Perm: 5}, {Tag: treegen.ACLMask, Perm: 5}, {Tag: treegen.ACLOther, Perm: 5}}
	for _, p := range []struct {
		path, what string
		f          func(*treegen.Node)
	}{
		{"h", "user.a", func(n *treegen.Node) { n.Xattrs[0].Fill = 9 }},
		{"h", "user.empty", func(n *treegen.Node) { n.Xattrs = n.Xattrs[:1] }},
		{"e", "user.new", func(n *treegen.Node) { n.Xattrs = []treegen.Xattr{{Name: "user.new", Len: 300}} }},
		{"e", "system.posix_acl_access", func(n *treegen.Node) { n.ACL = acl }},
		{"d", "system.posix_acl_default", func(n *treegen.Node) { n.Default = acl }},
	} {
		found := compare(t, treecmp.All, change(p.path, p.f))
		if !slices.ContainsFunc(found, func(d treecmp.Difference) bool { return d.Path == p.path && d.What == p.what }) {
			t.Errorf("found %v; want %s of %q", found, p.what, p.path)
		}
	}
}

// TestEqual checks that Compare reports nothing for equal trees, and nothing in other aspects.
func TestEqual(t *testing.T) {
	same := func(t treegen.Tree) treegen.Tree { return t }
	if found := compare(t, treecmp.All|treecmp.Blocks, same); len(found) > 0 {
		t.Error(found)
	}
	for _, p := range planted {
		switch p.what {
		case "mode", "mtime", "atime", "data":
			if found := compare(t, 0, p.change); len(found) > 0 {
				t.Errorf("%s of %q: found %v; want nothing", p.what, p.path, found)
			}
		}
	}
}

// TestHolesKept checks that with HolesKept the second file may have more holes than the first, but
// not fewer.
func TestHolesKept(t *testing.T) {
	more := change("d/f", func(n *treegen.Node) { n.Data = append(n.Data, treegen.Extent{Off: 262144, Len: 4096}) })
	less := change("d/f", func(n *treegen.Node) { n.Data = nil })
	if found := compare(t, treecmp.HolesKept, more); len(found) != 1 || found[0].What != "data" {
		t.Errorf("found %v; want data", found)
	}
	if found := compare(t, treecmp.HolesKept, less); len(found) != 1 || found[0].What == "data" {
		t.Errorf("found %v; want the bytes, and no data", found)
	}
}

// TestCompareReadsNothing checks that Compare does not change access times, except of symbolic
// links, so that it can be called again.
func TestCompareReadsNothing(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	o := treegen.Able(dir)
	for _, at := range []string{a, b} {
		if err := treegen.Build(at, tree(o)); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := treecmp.Compare(a, b, treecmp.All); len(found) > 0 || err != nil {
		t.Fatal(found, err)
	}
	var st unix.Stat_t
	if err := unix.Stat(filepath.Join(a, "h"), &st); err != nil || st.Atim.Sec != 0 {
		t.Errorf("h was read at %d, %v; want 0", st.Atim.Sec, err)
	}
}

// TestFiles compares two files that are no directories. Symbolic links are not followed.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, to := range map[string]string{"a": "x", "b": "x", "c": "y"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := treecmp.Compare("a", "b", 0); len(found) > 0 || err != nil {
		t.Error(found, err)
	}
	if found, err := treecmp.Compare("a", "c", 0); len(found) != 1 || err != nil {
		t.Errorf("%v, %v; want one difference", found, err)
	}
	if _, err := treecmp.Compare("a", "missing", 0); err == nil {
		t.Error("nothing was said of a file that is not there")
	}
}

// TestChain compares trees that are deeper than the number of descriptors.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	const depth = 1000
	few(t, depth/2)
	for _, name := range []string{"a", "b"} {
		chain(t, filepath.Join(dir, name), depth, name)
		t.Cleanup(func() {
			if out, err := exec.Command("rm", "-rf", filepath.Join(dir, name)).CombinedOutput(); err != nil {
				t.Errorf("rm: %v: %s", err, out)
			}
		})
	}
	found, err := treecmp.Compare(filepath.Join(dir, "a"), filepath.Join(dir, "b"), treecmp.Mode)
	if err != nil || len(found) != 2 || len(found[0].Path) != 2*(depth-1)-1 {
		t.Errorf("%d differences, %v; want the names at the end", len(found), err)
	}
}

// few limits the process's descriptors during the test.
func few(t *testing.T, n uint64) {
	t.Helper()
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	now := was
	now.Cur = n
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Setrlimit(unix.RLIMIT_NOFILE, &was) })
}

// chain makes directories inside each other, with another name at the end.
func chain(t *testing.T, at string, depth int, last string) {
	t.Helper()
	fd := unix.AT_FDCWD
	name := at
	for range depth {
		if err := unix.Mkdirat(fd, name, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(fd, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		if fd != unix.AT_FDCWD {
			unix.Close(fd)
		}
		fd, name = next, "d"
	}
	defer unix.Close(fd)
	if err := unix.Mkdirat(fd, last, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestAgainstCp checks that Compare finds no difference between a random tree and its copy by cp
// -a. Holes are excluded, because cp guesses them.
func TestAgainstCp(t *testing.T) {
	if _, err := exec.LookPath("cp"); err != nil {
		skip.For(t, skip.GNU, err)
	}
	dir := t.TempDir()
	o := treegen.Able(dir)
	for seed := range uint64(50) {
		a, b := filepath.Join(dir, fmt.Sprint("a", seed)), filepath.Join(dir, fmt.Sprint("b", seed))
		if err := treegen.Build(a, treegen.Random(seed, o)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if out, err := exec.Command("cp", "-a", a, b).CombinedOutput(); err != nil {
			t.Fatalf("seed %d: cp: %v: %s", seed, err, out)
		}
		if found, err := treecmp.Compare(a, b, treecmp.All&^treecmp.Atime&^treecmp.Holes); len(found) > 0 || err != nil {
			t.Errorf("seed %d: %v, %v", seed, found, err)
		}
	}
}
