package cp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree"
)

// pairs returns what is to be copied. What cannot be, or was named before, is
// told and left out.
func (r *run) pairs(p *plan) []copytree.Pair {
	var pairs []copytree.Pair
	seen := map[string][]named{}
	for _, src := range p.sources {
		pair := copytree.Pair{Src: src, Dst: p.path(src)}
		if p.settings.parents && !r.makeParents(p, src) {
			continue
		}
		info, err := p.stat(src)
		switch {
		case err != nil:
			r.fail(failed("cannot stat", src, err))
			continue
		case r.refused(p, &pair, info):
			continue
		case r.seenBefore(seen, src, info):
			continue
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// refused tells what GNU cp finds wrong with a pair before it copies anything.
func (r *run) refused(p *plan, pair *copytree.Pair, info fs.FileInfo) bool {
	dst, err := os.Stat(pair.Dst)
	switch {
	case p.dir == "" && errors.Is(err, syscall.ENOTDIR): // f/ and f/x, where f is a file
		r.fail(failed("cannot stat", pair.Dst, err))
	case !info.IsDir() && err != nil && strings.HasSuffix(pair.Dst, "/"):
		r.fail(r.noDirectory(pair, info))
	case err == nil && !info.IsDir() && r.backups.wouldDestroy(pair, info):
		r.fail(&fileError{path: pair.Dst, text: "backing up " + quote(pair.Dst) + " might destroy source;  " + quote(pair.Src) + " not copied"})
	case err == nil && p.settings.force && r.backups.kind != backupNone && sameRegular(pair, info, dst):
		return !r.backUpItself(pair)
	default:
		return false
	}
	return true
}

// noDirectory is what GNU cp says of a file that is to be made as one with a slash
// at its end.
func (r *run) noDirectory(pair *copytree.Pair, info fs.FileInfo) error {
	e := &copytree.Error{Src: pair.Src, Dst: pair.Dst, Path: pair.Dst, Op: "open", Err: syscall.ENOENT}
	switch kind := info.Mode().Type(); {
	case r.options.Make == copytree.MakeHardLink:
		e.Op = "link"
	case r.options.Make == copytree.MakeSymlink, kind == fs.ModeSymlink:
		e.Op = "symlink"
	case kind == 0, r.options.CopyContents:
		e.Err = syscall.ENOTDIR
	case kind == fs.ModeNamedPipe:
		e.Op = "mkfifo"
	default:
		e.Op = "mknod"
	}
	return copyError(e, r.options.Make)
}

// wouldDestroy says whether the simple backup of the destination would take
// the place of the source (cp -b f~ f).
func (b backups) wouldDestroy(pair *copytree.Pair, src fs.FileInfo) bool {
	if b.kind == backupNone || b.kind == backupNumbered || lastName(pair.Src) != lastName(pair.Dst)+b.suffix {
		return false
	}
	name, err := b.name(pair.Dst)
	if err != nil {
		return false
	}
	at, err := os.Stat(name)
	return err == nil && os.SameFile(at, src)
}

// sameRegular says whether both names of a pair are the same, of a regular file.
func sameRegular(pair *copytree.Pair, src, dst fs.FileInfo) bool {
	return pair.Src == pair.Dst && src.Mode().IsRegular() && os.SameFile(src, dst)
}

// backUpItself makes pair copy a file to its own backup (cp -bf f f).
func (r *run) backUpItself(pair *copytree.Pair) bool {
	name, err := r.backups.name(pair.Dst)
	if err != nil {
		r.fail(failed("cannot backup", pair.Dst, err))
		return false
	}
	pair.Dst = name
	return true
}

// named is a source, as it was named.
type named struct{ parent, self fs.FileInfo }

// seenBefore warns of a source that is named a second time, by a path that ends
// in the same name in the same directory.
func (r *run) seenBefore(seen map[string][]named, src string, info fs.FileInfo) bool {
	if r.backups.kind != backupNone && !info.IsDir() {
		return false
	}
	path := stripSlashes(src)
	base := lastName(path)
	parent, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return false
	}
	for _, n := range seen[base] {
		if os.SameFile(n.self, info) && os.SameFile(n.parent, parent) {
			kind := "file "
			if info.IsDir() {
				kind = "directory "
			}
			r.warn("source " + kind + quote(src) + " specified more than once")
			return true
		}
	}
	seen[base] = append(seen[base], named{parent, info})
	return false
}
