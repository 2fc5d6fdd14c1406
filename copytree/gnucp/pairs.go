package gnucp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// pairs returns the sources with their destinations. It reports and leaves out a source that cannot
// be copied, or that occurs twice.
func (r *run) pairs(p *plan) []option.Pair {
	var pairs []option.Pair
	seen := map[string][]named{}
	for _, src := range p.sources {
		pair := option.Pair{Src: src, Dst: p.path(src), Parents: p.settings.parents}
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
		case r.seenBefore(seen, &pair, info):
			continue
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// refused checks a pair as GNU cp does before it copies anything. It reports errors to the user,
// and returns whether to leave out the pair.
func (r *run) refused(p *plan, pair *option.Pair, info fs.FileInfo) bool {
	dst, err := os.Stat(pair.Dst)
	switch {
	case r.isOmitted(info): // first, so that no message mentions the destination
		r.fail(copyError(&report.Error{Src: pair.Src, Dst: pair.Dst, Path: pair.Src, Op: "copy", Err: fault.ErrDirectory}, r.options.Make))
	case p.dir == "" && errors.Is(err, syscall.ENOTDIR), // f/ and f/x for a file f
		errors.Is(err, syscall.ENAMETOOLONG):
		r.fail(failed("cannot stat", pair.Dst, err))
	case !info.IsDir() && err != nil && strings.HasSuffix(pair.Dst, "/"),
		p.dir == "" && errors.Is(err, syscall.ENOENT) && !hasParent(pair.Dst):
		r.fail(r.noDirectory(pair, info))
	case err == nil && !info.IsDir() && r.backups.wouldDestroy(pair, info):
		r.fail(&fileError{path: pair.Dst, text: "backing up " + quote(pair.Dst) + " might destroy source;  " + quote(pair.Src) + " not copied"})
	case err == nil && p.dir == "" && p.settings.force && r.backups.kind != backupNone && sameRegular(pair, info, dst):
		return !r.backUpItself(pair)
	default:
		return false
	}
	return true
}

// inCurrentDir reports whether path names an entry of the current directory, or whether its
// directory cannot be found.
func inCurrentDir(path string) bool {
	above, err := os.Stat(filepath.Dir(stripSlashes(path)))
	here, hereErr := os.Stat(".")
	return err != nil || hereErr != nil || os.SameFile(above, here)
}

// isOmitted reports whether the source is a directory and directories are not copied.
func (r *run) isOmitted(info fs.FileInfo) bool { return info.IsDir() && r.options.Files }

// hasParent reports whether the directory of path exists, or cannot be examined.
func hasParent(path string) bool {
	path = stripSlashes(path)
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return true
	}
	_, err := os.Stat(path[:i+1])
	return !errors.Is(err, syscall.ENOENT)
}

// noDirectory returns GNU cp's error for a destination that does not exist and either ends with a
// slash or is in a directory that does not exist.
func (r *run) noDirectory(pair *option.Pair, info fs.FileInfo) error {
	e := &report.Error{Src: pair.Src, Dst: pair.Dst, Path: pair.Dst, Op: "open", Err: syscall.ENOENT}
	switch kind := info.Mode().Type(); {
	case r.isOmitted(info):
		e.Err = fault.ErrDirectory
	case kind == fs.ModeDir:
		e.Op = "mkdir"
	case r.options.Make == option.MakeHardLink:
		e.Op = "link"
	case r.options.Make == option.MakeSymlink && !filepath.IsAbs(pair.Src) && !inCurrentDir(pair.Dst):
		e.Op, e.Err = "symlink", fault.ErrRelative
	case r.options.Make == option.MakeSymlink, kind == fs.ModeSymlink:
		e.Op = "symlink"
	case kind == 0, r.options.CopyContents:
		if strings.HasSuffix(pair.Dst, "/") && hasParent(pair.Dst) {
			e.Err = syscall.ENOTDIR
		}
	case kind == fs.ModeNamedPipe:
		e.Op = "mkfifo"
	default:
		e.Op = "mknod"
	}
	return copyError(e, r.options.Make)
}

// wouldDestroy reports whether the simple backup of the destination would overwrite
// the source (cp -b f~ f).
func (b backups) wouldDestroy(pair *option.Pair, src fs.FileInfo) bool {
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

// sameRegular reports whether source and destination are the same path of a regular
// file.
func sameRegular(pair *option.Pair, src, dst fs.FileInfo) bool {
	return pair.Src == pair.Dst && src.Mode().IsRegular() && os.SameFile(src, dst)
}

// backUpItself makes pair copy a file to its own backup (cp -bf f f).
func (r *run) backUpItself(pair *option.Pair) bool {
	name, err := r.backups.name(pair.Dst)
	if err != nil {
		r.fail(failed("cannot backup", pair.Dst, err))
		return false
	}
	pair.Dst = name
	return true
}

// named is a source of the command line, and its directory.
type named struct{ parent, self fs.FileInfo }

// seenBefore reports whether a source was on the command line before: the same directory and the
// same last name. It warns if so.
func (r *run) seenBefore(seen map[string][]named, pair *option.Pair, info fs.FileInfo) bool {
	if r.backups.kind != backupNone && !info.IsDir() {
		return false
	}
	if dst, err := os.Stat(pair.Dst); err == nil && info.IsDir() && os.SameFile(dst, info) {
		return false // the first was not copied, so the second fails in the same way
	}
	src := pair.Src
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
