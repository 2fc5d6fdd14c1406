package proof_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
)

// TestMerges copies random trees onto trees with the same few names, and compares the result with
// cp's. The trees have no file that cp writes through or into (see intended).
func TestMerges(t *testing.T) {
	needCp(t)
	dir := memory(t)
	o := treegen.Able(dir)
	o.Names, o.Nodes, o.MaxFile = []string{"a", "b", "c"}, 15, 20000
	first := firstSeed(t)
	for i := range uint64(*treesN) {
		v := mergeWays[i%uint64(len(mergeWays))]
		seed := first + i
		m := merging{t, filepath.Join(dir, fmt.Sprint(i)), v}
		src, dst := v.fit(treegen.Random(seed, o)), v.filesAndDirs(treegen.Random(^seed, o))
		if what := m.wrong(src, dst); what != "" {
			t.Errorf("%s: %s\nreplay with -sluice.trees.seed=%d -sluice.trees.n=%d", v.name, what, first, i+1)
			m.shrink(src, dst)
			return
		}
	}
}

// mergeWays are ways to merge trees. Times of directories are not compared: -r does not touch a
// directory in which it makes nothing.
var mergeWays = []variant{
	{name: "all", o: option.Options{Preserve: option.PreserveAll}, cp: "-a", like: kept &^ treecmp.Atime},
	{name: "nothing", cp: "-r", like: plain},
	{name: "removed first", o: option.Options{Preserve: option.PreserveAll, Unlink: true}, cp: "-a --remove-destination", like: kept &^ treecmp.Atime},
	{name: "forced", o: option.Options{Preserve: option.PreserveAll, Force: true}, cp: "-a -f", like: kept &^ treecmp.Atime},
	{name: "owner and mode", o: option.Options{Preserve: option.PreserveOwner | option.PreserveMode}, cp: "-r --preserve=mode,ownership", like: plain},
}

// filesAndDirs returns the part of a tree that cp replaces in the same way. Other files would
// differ in three cases. First, cp keeps suid, sgid and the sticky bit of existing directories if
// the source has none of them. Second, the order decides which existing file a source with hard
// links overwrites, and so which extended attributes stay. Third, without PreserveLinks cp writes
// several sources into one file with their names.
func (v variant) filesAndDirs(t treegen.Tree) treegen.Tree {
	links := v.o.Preserve&option.PreserveLinks != 0
	for i := range t {
		t[i].Mode &= 0o777
		if t[i].Kind == treegen.File {
			t[i].Xattrs = nil
		}
	}
	return t.Only(func(i int) bool { return t[i].Kind <= treegen.File || t[i].Kind == treegen.HardLink && links })
}

// merging is one copy of a tree onto another, in dir.
type merging struct {
	*testing.T
	dir string
	variant
}

// wrong returns the difference between our merge and cp's, or "".
func (m merging) wrong(src, dst treegen.Tree) string {
	m.Helper()
	must(m.T, os.Mkdir(m.dir, 0o755))
	defer func() { must(m.T, os.RemoveAll(m.dir)) }()
	from, ours, theirs := filepath.Join(m.dir, "source"), filepath.Join(m.dir, "ours"), filepath.Join(m.dir, "theirs")
	must(m.T, treegen.Build(from, src), treegen.Build(ours, dst), treegen.Build(theirs, dst))
	_, err := within(m.T, ours, from, m.o)
	out, cpErr := exec.Command("cp", append(strings.Fields(m.cp), "-T", from, theirs)...).CombinedOutput()
	if (err == nil) != (cpErr == nil) {
		return fmt.Sprintf("Copy = %v; cp %s: %v: %s", err, m.cp, cpErr, out)
	}
	found, err := treecmp.Compare(theirs, ours, m.like)
	must(m.T, err)
	if len(found) > 0 {
		return fmt.Sprint(found)
	}
	return ""
}

// shrink prints the smallest trees whose merge is wrong.
func (m merging) shrink(src, dst treegen.Tree) {
	src = treegen.Shrink(src, func(less treegen.Tree) bool { return m.wrong(less, dst) != "" })
	dst = treegen.Shrink(dst, func(less treegen.Tree) bool { return m.wrong(src, less) != "" })
	m.Logf("%s: it takes no more than this: %s\n%v\nonto\n%v", m.name, m.wrong(src, dst), src, dst)
}
