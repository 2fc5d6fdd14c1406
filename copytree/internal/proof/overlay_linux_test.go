package proof_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/engine"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
)

// TestOverlays copies three random trees with the same few names into one directory, as cp a/. b/.
// c/. d does, and compares the result with cp's.
func TestOverlays(t *testing.T) {
	needCp(t)
	dir := memory(t)
	o := treegen.Able(dir)
	o.Names, o.Nodes, o.MaxFile = []string{"a", "b", "c"}, 15, 20000
	first := firstSeed(t)
	const each = 4 // an overlay takes as long as four trees
	for i := range uint64(*treesN+each-1) / each {
		v := mergeWays[i%uint64(len(mergeWays))]
		l := overlay{t, filepath.Join(dir, fmt.Sprint(i)), v}
		seed := 3 * (first + i)
		if what := l.wrong(treegen.Random(seed, o), treegen.Random(seed+1, o), treegen.Random(seed+2, o)); what != "" {
			t.Fatalf("%s: %s\nreplay with -sluice.trees.seed=%d -sluice.trees.n=%d", v.name, what, first, each*(i+1))
		}
	}
}

// overlay is one copy of several trees, in dir.
type overlay struct {
	*testing.T
	dir string
	variant
}

// wrong returns the difference between our overlay and cp's, or "".
func (l overlay) wrong(trees ...treegen.Tree) string {
	l.Helper()
	must(l.T, os.Mkdir(l.dir, 0o755))
	defer func() { must(l.T, os.RemoveAll(l.dir)) }()
	ours, theirs := filepath.Join(l.dir, "ours"), filepath.Join(l.dir, "theirs")
	must(l.T, os.Mkdir(ours, 0o755), os.Mkdir(theirs, 0o755))
	args := strings.Fields(l.cp)
	var pairs []option.Pair
	for i, tree := range trees {
		from := filepath.Join(l.dir, fmt.Sprint("source", i))
		must(l.T, treegen.Build(from, l.filesAndDirs(l.fit(tree))))
		args = append(args, from+"/.")
		pairs = append(pairs, option.Pair{Dst: ours + "/.", Src: from + "/."})
	}
	_, err := engine.Copy(l.Context(), nil, pairs, l.o)
	out, cpErr := exec.Command("cp", append(args, theirs)...).CombinedOutput()
	if (err == nil) != (cpErr == nil) {
		return fmt.Sprintf("CopyAll = %v; cp %s: %v: %s", err, l.cp, cpErr, out)
	}
	found, err := treecmp.Compare(theirs, ours, l.like)
	must(l.T, err)
	if len(found) > 0 {
		return fmt.Sprint(found)
	}
	return ""
}
