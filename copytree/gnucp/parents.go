package gnucp

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// parent is a directory of a source's path below the destination (--parents).
type parent struct {
	option.Pair
	extra fs.FileMode // the owner's permissions that are added only during the copy
}

// makeParents makes the directories of src's path below the destination, and records them for
// finishParents. It reports errors to the user, and returns whether the source can be copied.
func (r *run) makeParents(p *plan, src string) bool {
	path := stripSlashes(src)
	whole := path[:strings.LastIndexByte(path, '/')+1]
	if whole == "" {
		return true
	}
	if info, err := os.Stat(stripSlashes(join(p.dir, whole))); err == nil {
		if !info.IsDir() {
			r.fail(notDirectory(join(p.dir, whole)))
		}
		return info.IsDir()
	}
	for i := 1; i < len(whole); i++ {
		if whole[i] != '/' || whole[i-1] == '/' {
			continue
		}
		if err := r.makeParent(option.Pair{Src: whole[:i], Dst: join(p.dir, whole[:i])}); err != nil {
			r.fail(err)
			return false
		}
	}
	return true
}

func (r *run) makeParent(pair option.Pair) error {
	dst, err := os.Stat(pair.Dst)
	there := err == nil
	if there && !r.copiesAttributes() {
		return checkDirectory(pair.Dst, dst)
	}
	src, err := os.Stat(pair.Src)
	if err == nil && !src.IsDir() {
		err = syscall.ENOTDIR
	}
	switch {
	case err != nil:
		return failed("failed to get attributes of", pair.Src, err)
	case there:
		r.parents = append(r.parents, parent{Pair: pair})
		return checkDirectory(pair.Dst, dst)
	case r.pretend[filepath.Clean(pair.Dst)]:
		return nil
	}
	return r.makeNewParent(pair, src.Mode())
}

// checkDirectory returns an error if path is not a directory.
func checkDirectory(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return nil
	}
	return notDirectory(path)
}

func notDirectory(path string) error {
	path = stripSlashes(path)
	return &fileError{path: path, text: quote(path) + " exists but is not a directory"}
}

// ownerAll is the permissions with which this process can make files in a directory.
const ownerAll = 0o700

func (r *run) makeNewParent(pair option.Pair, mode fs.FileMode) error {
	perm := mode & (fs.ModePerm | fs.ModeSticky)
	if r.options.Preserve&option.NoMode != 0 {
		perm = 0o777
	}
	made := parent{Pair: pair, extra: ownerAll &^ (perm &^ umask())}
	if r.options.DryRun {
		r.pretend[filepath.Clean(pair.Dst)] = true
	} else {
		err := os.Mkdir(pair.Dst, perm|ownerAll)
		if err == nil && umask()&ownerAll != 0 {
			err = changeMode(pair.Dst, ownerAll, 0)
		}
		if err != nil {
			return failed("cannot make directory", pair.Dst, err)
		}
	}
	r.parents = append(r.parents, made)
	if r.settings.verbose {
		r.screen.print(fmt.Sprintf("%s -> %s\n", pair.Src, pair.Dst))
	}
	return nil
}

// copiesAttributes reports whether directories get their sources' attributes.
func (r *run) copiesAttributes() bool {
	return r.options.Preserve&^(option.NoMode|option.PreserveLinks) != 0
}

// changeMode adds permissions to a directory and removes others. Bits that come from the directory
// above it stay: sgid, an ACL.
func changeMode(path string, add, remove fs.FileMode) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode()&^remove|add)
}

// attributePairs returns the parents whose attributes are copied, deepest first. They follow all
// other pairs, because each new file changes its directory's time.
func (r *run) attributePairs() []option.Pair {
	if !r.copiesAttributes() || r.options.DryRun {
		return nil
	}
	pairs := make([]option.Pair, 0, len(r.parents))
	for i := len(r.parents) - 1; i >= 0; i-- {
		pair := r.parents[i].Pair
		pair.Alone = true
		pairs = append(pairs, pair)
	}
	return pairs
}

// finishParents removes the extra permissions, from the deepest directory up.
func (r *run) finishParents() {
	for _, p := range slices.Backward(r.parents) {
		if p.extra == 0 || r.options.Preserve&option.PreserveMode != 0 || r.options.DryRun {
			continue
		}
		if err := changeMode(p.Dst, 0, p.extra); err != nil {
			r.fail(failed("preserving permissions for", p.Dst, err))
		}
	}
}
