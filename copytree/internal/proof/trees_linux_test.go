package proof_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

var (
	treesN    = flag.Int("sluice.trees.n", 120, "random trees that are copied")
	treesDir  = flag.String("sluice.trees.dir", "", "where they are copied; \"\" is in memory")
	treesSeed = flag.Uint64("sluice.trees.seed", 0, "seed of the first of them; 0 is what SLUICE_SEED says, or drawn")
)

// firstSeed returns the seed of the flag, or else the seed of all random tests.
func firstSeed(t *testing.T) uint64 {
	if *treesSeed != 0 {
		return *treesSeed
	}
	return seed.Of(t)
}

// variant is a way to copy. It has GNU cp's arguments for the same, the aspects in which both
// copies must be equal, and the aspects in which our copy must equal the source.
type variant struct {
	name   string
	o      option.Options
	cp     string
	like   treecmp.Aspect
	source treecmp.Aspect // 0: not compared, because it differs on purpose
	shape  func(*treegen.Options)
}

// Holes are never compared with cp's: cp makes holes in files that have any, and none in files that
// have few.
const (
	kept  = treecmp.All &^ treecmp.Holes
	equal = kept&^treecmp.Atime | treecmp.HolesKept
	plain = treecmp.Mode | treecmp.Owner | treecmp.Xattrs | treecmp.ACLs | treecmp.Links
)

// keptOnce is kept for copies that read a file by several names: at the second name, the first read
// has already changed the access time.
const keptOnce = kept &^ treecmp.Atime

// few makes trees that stay small when their links are followed.
func few(o *treegen.Options) { o.Few, o.Nodes = true, 15 }

var variants = []variant{
	{name: "all", o: option.Options{Preserve: option.PreserveAll}, cp: "-a", like: kept, source: equal},
	{name: "nothing", cp: "-r", like: plain},
	{name: "one at a time", o: option.Options{Preserve: option.PreserveAll, Concurrency: 1}, cp: "-a", like: kept, source: equal},
	{name: "small blocks", o: option.Options{Preserve: option.PreserveAll, Concurrency: 3, BlockSize: 512, Reflink: option.ReflinkNever}, cp: "-a", like: kept, source: equal},
	{name: "large blocks", o: option.Options{Preserve: option.PreserveAll, Concurrency: 100, BlockSize: 4 << 20}, cp: "-a", like: kept, source: equal},
	{name: "verified", o: option.Options{Preserve: option.PreserveAll, Verify: true}, cp: "-a", like: kept, source: equal},
	{name: "synced", o: option.Options{Preserve: option.PreserveAll, Sync: option.SyncFileSystem}, cp: "-a", like: kept, source: equal},
	{name: "each synced", o: option.Options{Preserve: option.PreserveAll, Sync: option.SyncFiles}, cp: "-a", like: kept, source: equal, shape: func(o *treegen.Options) { o.Nodes = 10 }},
	{name: "mode", o: option.Options{Preserve: option.PreserveMode}, cp: "-r --preserve=mode", like: plain},
	{name: "mode, owner, times", o: option.Options{Preserve: option.PreserveMode | option.PreserveOwner | option.PreserveTimes}, cp: "-r -p", like: keptOnce, source: equal &^ treecmp.Links &^ treecmp.Xattrs},
	{name: "owner", o: option.Options{Preserve: option.PreserveOwner}, cp: "-r --preserve=ownership", like: plain},
	{name: "times", o: option.Options{Preserve: option.PreserveTimes}, cp: "-r --preserve=timestamps", like: keptOnce},
	{name: "links", o: option.Options{Preserve: option.PreserveLinks}, cp: "-r -d", like: plain},
	{name: "xattr", o: option.Options{Preserve: option.PreserveXattr}, cp: "-r --preserve=xattr", like: plain},
	{name: "no mode", o: option.Options{Preserve: option.NoMode}, cp: "-r --no-preserve=mode", like: plain},
	{name: "all but mode", o: option.Options{Preserve: option.PreserveAll&^option.PreserveMode | option.NoMode}, cp: "-a --no-preserve=mode", like: kept},
	{name: "all holes", o: option.Options{Preserve: option.PreserveAll, Sparse: option.SparseAlways}, cp: "-a --sparse=always", like: kept, source: equal &^ treecmp.HolesKept},
	{name: "no holes", o: option.Options{Preserve: option.PreserveAll, Sparse: option.SparseNever}, cp: "-a --sparse=never --reflink=never", like: treecmp.All, source: equal &^ treecmp.HolesKept},
	{name: "attributes", o: option.Options{Preserve: option.PreserveAll, Make: option.MakeAttributes}, cp: "-a --attributes-only", like: kept},
	{name: "hard links", o: option.Options{Preserve: option.PreserveAll, Make: option.MakeHardLink}, cp: "-a -l", like: keptOnce, source: equal},
	{name: "symlinks", o: option.Options{Make: option.MakeSymlink}, cp: "-r -s", like: plain},
	{name: "followed", o: option.Options{Preserve: option.PreserveAll &^ option.PreserveLinks, Follow: option.FollowAll}, cp: "-r -p -L --preserve=xattr", like: keptOnce, shape: few},
	{name: "followed, links kept", o: option.Options{Preserve: option.PreserveAll, Follow: option.FollowAll}, cp: "-a -L", like: keptOnce, shape: few},
	{name: "removed first", o: option.Options{Preserve: option.PreserveAll, Unlink: true, Force: true}, cp: "-a -f --remove-destination", like: kept, source: equal},
}

// needCp skips the test without GNU cp.
func needCp(t *testing.T) {
	t.Helper()
	out, err := exec.Command("cp", "--version").Output()
	if err != nil || !strings.Contains(string(out), "GNU") {
		skip.Forf(t, skip.GNU, "no GNU cp: %v", err)
	}
}

// TestTrees copies random trees as cp -a does, and each tree in one more way.
func TestTrees(t *testing.T) {
	needCp(t)
	dir := memory(t)
	if *treesDir != "" {
		dir = *treesDir
	}
	able := treegen.Able(dir)
	first := firstSeed(t)
	for i := range uint64(*treesN) {
		seed := first + i
		for _, v := range []variant{variants[0], variants[seed%uint64(len(variants))]} {
			o := able
			o.Nodes = 25
			if v.shape != nil {
				v.shape(&o)
			}
			proveOne(t, dir, seed, v, v.fit(treegen.Random(seed, o)))
		}
		if t.Failed() {
			t.Fatalf("tree %d; replay with -sluice.trees.seed=%d -sluice.trees.n=1", i, seed)
		}
	}
}

// fit removes files that a variant copies differently from cp on purpose. With NoMode, Copy drops
// suid, sgid and the sticky bit of FIFOs and devices. They mean nothing there, but cp keeps them.
func (v variant) fit(t treegen.Tree) treegen.Tree {
	for i := range t {
		if v.o.Preserve&option.NoMode != 0 && t[i].Kind > treegen.HardLink {
			t[i].Mode &= 0o777
		}
	}
	return t
}

// proveOne copies a tree. If the copy is wrong, it reports the smallest similar tree with a wrong
// copy.
func proveOne(t *testing.T, dir string, seed uint64, v variant, tree treegen.Tree) {
	t.Helper()
	what := v.wrong(t, filepath.Join(dir, "tree"), tree)
	if what == "" {
		return
	}
	t.Errorf("seed %d, %s: %s", seed, v.name, what)
	n := 0
	small := treegen.Shrink(tree, func(less treegen.Tree) bool {
		n++
		return v.wrong(t, filepath.Join(dir, fmt.Sprint("less", n)), less) != ""
	})
	t.Logf("%s: it takes no more than this: %s\n%v", v.name, v.wrong(t, filepath.Join(dir, "least"), small), small)
}

// wrong builds a tree in dir, copies it in both ways, and returns the error in our copy, or "".
func (v variant) wrong(t *testing.T, dir string, tree treegen.Tree) string {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}()
	src, ours, theirs := filepath.Join(dir, "source"), filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
	if err := treegen.Build(src, tree); err != nil {
		t.Fatal(err)
	}
	done := 0
	o := v.o
	o.OnDone = func(report.Done) { done++ }
	r, err := within(t, ours, src, o)
	if setErr := treegen.SetTimes(src, tree); setErr != nil {
		t.Fatal(setErr)
	}
	out, cpErr := exec.Command("cp", append(strings.Fields(v.cp), "-T", src, theirs)...).CombinedOutput()
	if (err == nil) != (cpErr == nil) {
		return fmt.Sprintf("Copy = %v; cp %s: %v: %s", err, v.cp, cpErr, out)
	}
	if what := v.miscounted(r, done, tree, err); what != "" {
		return what
	}
	return v.differ(t, src, ours, theirs)
}

// differ compares our copy with cp's and with the source.
func (v variant) differ(t *testing.T, src, ours, theirs string) string {
	t.Helper()
	found, err := treecmp.Compare(theirs, ours, v.like)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) > 0 {
		return fmt.Sprintf("cp's and ours: %v", found)
	}
	if v.source == 0 {
		return ""
	}
	if found, err = treecmp.Compare(src, ours, v.source); err != nil {
		t.Fatal(err)
	}
	if len(found) > 0 {
		return fmt.Sprintf("source and ours: %v", found)
	}
	return ""
}

// miscounted compares the Result with the tree.
func (v variant) miscounted(r report.Result, done int, tree treegen.Tree, err error) string {
	if err != nil || v.source != equal || v.o.Make != option.MakeCopy {
		return "" // the copy has other kinds of files than the tree
	}
	var want report.Result
	for _, n := range tree {
		switch n.Kind {
		case treegen.Dir:
			want.Dirs++
		case treegen.File:
			want.Files++
		case treegen.Symlink:
			want.Symlinks++
		case treegen.HardLink:
			want.Links++
		default:
			want.Specials++
		}
	}
	got := report.Result{Files: r.Files, Dirs: r.Dirs, Symlinks: r.Symlinks, Links: r.Links, Specials: r.Specials}
	if fmt.Sprint(got) != fmt.Sprint(want) || done != len(tree) {
		return fmt.Sprintf("Result = %+v, %d done; want %+v, %d", got, done, want, len(tree))
	}
	return ""
}
