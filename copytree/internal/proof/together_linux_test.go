package proof_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestTogether copies a tree twice at the same time to one new place, as two processes may. Both
// copies must succeed, and the result must be complete. Names of one file in the source may become
// names of two files, one from each copy.
func TestTogether(t *testing.T) {
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "only root may write to all files that the other copy has made")
	}
	dir := memory(t)
	o := treegen.Able(dir)
	// One copy's default ACL changes the other copy.
	o.Nodes, o.MaxFile, o.ACLs = 150, 100<<10, false
	src := filepath.Join(dir, "src")
	must(t, treegen.Build(src, treegen.Random(firstSeed(t), o)))
	for _, v := range []variant{
		{name: "nothing", like: plain &^ treecmp.Links &^ treecmp.Xattrs &^ treecmp.ACLs &^ treecmp.Mode &^ treecmp.Owner},
		{name: "all", o: option.Options{Preserve: option.PreserveAll}, like: kept &^ treecmp.Atime &^ treecmp.Links},
	} {
		t.Run(v.name, func(t *testing.T) {
			for range 10 {
				dst := filepath.Join(dir, "dst")
				together(t, dst, src, v.o)
				found, err := treecmp.Compare(src, dst, v.like)
				must(t, err)
				if len(found) > 0 {
					t.Errorf("the copy differs: %v", found)
				}
				must(t, os.RemoveAll(dst))
			}
		})
	}
}

// together copies twice at the same time.
func together(t *testing.T, dst, src string, o option.Options) {
	t.Helper()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := within(t, dst, src, o); err != nil {
				t.Errorf("Copy = %v", err)
			}
		})
	}
	both.Wait()
}
