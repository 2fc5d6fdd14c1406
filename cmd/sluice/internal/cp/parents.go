package cp

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/copytree"
)

// parent is a directory that --parents has made, or gone through.
type parent struct {
	copytree.Pair
	mode fs.FileMode // that it has to get in the end
	lent fs.FileMode // what it has besides until then
}

// makeParents makes the directories that src names before its last name below
// the destination, and notes them for finishParents. It tells errors, and
// returns whether the source can be copied.
func (r *run) makeParents(p *plan, src string) bool {
	path := stripSlashes(src)
	whole := path[:strings.LastIndexByte(path, '/')+1]
	if whole == "" {
		return true
	}
	if info, err := os.Stat(join(p.dir, whole)); err == nil && info.IsDir() {
		return true
	}
	for i := 1; i < len(whole); i++ {
		if whole[i] != '/' || whole[i-1] == '/' {
			continue
		}
		if err := r.makeParent(copytree.Pair{Src: whole[:i], Dst: join(p.dir, whole[:i])}); err != nil {
			r.fail(err)
			return false
		}
	}
	return true
}

func (r *run) makeParent(pair copytree.Pair) error {
	src, err := os.Stat(pair.Src)
	if err != nil {
		return failed("failed to get attributes of", pair.Src, err)
	}
	dst, err := os.Stat(pair.Dst)
	switch {
	case err == nil && !dst.IsDir():
		return &fileError{path: pair.Dst, text: quote(pair.Dst) + " exists but is not a directory"}
	case err == nil:
		r.parents = append(r.parents, parent{Pair: pair})
		return nil
	}
	return r.makeNewParent(pair, src.Mode())
}

// ownerAll is what a directory needs so that we can make something in it.
const ownerAll = 0o700

func (r *run) makeNewParent(pair copytree.Pair, mode fs.FileMode) error {
	perm := mode.Perm()
	if r.options.Preserve&copytree.NoMode != 0 {
		perm = 0o777
	}
	made := parent{Pair: pair, lent: ownerAll &^ (perm &^ umask())}
	if !r.options.DryRun {
		err := os.Mkdir(pair.Dst, perm|ownerAll)
		if err == nil && umask()&ownerAll != 0 {
			err = os.Chmod(pair.Dst, perm&^umask()|ownerAll)
		}
		if err != nil {
			return failed("cannot make directory", pair.Dst, err)
		}
	}
	made.mode = perm &^ umask()
	r.parents = append(r.parents, made)
	if r.settings.verbose {
		r.screen.print(fmt.Sprintf("%s -> %s\n", pair.Src, pair.Dst))
	}
	return nil
}

// attributePairs returns the parents whose attributes are copied when all that
// is in them has been, the deepest first.
func (r *run) attributePairs() []copytree.Pair {
	if r.options.Preserve&^(copytree.NoMode|copytree.PreserveLinks) == 0 || r.options.DryRun {
		return nil
	}
	pairs := make([]copytree.Pair, 0, len(r.parents))
	for i := len(r.parents) - 1; i >= 0; i-- {
		pair := r.parents[i].Pair
		pair.Alone = true
		pairs = append(pairs, pair)
	}
	return pairs
}

// finishParents takes the permissions back that were only for us, of the deepest first.
func (r *run) finishParents() {
	for _, p := range slices.Backward(r.parents) {
		if p.lent == 0 || r.options.Preserve&copytree.PreserveMode != 0 || r.options.DryRun {
			continue
		}
		if err := os.Chmod(p.Dst, p.mode); err != nil {
			r.fail(failed("preserving permissions for", p.Dst, err))
		}
	}
}
