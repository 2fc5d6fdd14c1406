package dirs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// Base opens the directories to which the paths of p are relative. They are closed after Retire.
func (h *Handles) Base(p *option.Pair, src, dst Path) (_ *Dir, err error) {
	d := &Dir{Pair: p, srcPath: src.Dir, dstPath: dst.Dir, handle: closed()}
	if d.SrcFD, err = h.kernel.OpenBase(src.Dir); err != nil {
		return nil, fault.Source("open", err)
	}
	if err = fault.Source("stat", h.kernel.Stat(d.SrcFD, at.Dot, at.NoFollow, &d.Stat)); err == nil {
		err = h.baseOfCopy(d)
	}
	if err != nil {
		h.Close(h.kernel, d)
		return nil, err
	}
	return d, nil
}

// baseOfCopy opens the directory of the copy. If the caller would have made it (Pair.Parents), it
// opens the nearest existing directory above.
func (h *Handles) baseOfCopy(d *Dir) (err error) {
	d.DstFD, err = h.openTarget(d.dstPath)
	for h.Pretend && d.Pair.Parents && errors.Is(err, syscall.ENOENT) && d.dstPath != filepath.Dir(d.dstPath) {
		d.Absent, d.dstPath = true, filepath.Dir(d.dstPath)
		d.DstFD, err = h.kernel.OpenBase(d.dstPath)
	}
	switch {
	case errors.Is(err, syscall.EACCES): // GNU cp looks at the destination first
		return fault.Dest("stat", err)
	case err != nil:
		return fault.Dest("open", err)
	}
	var s at.Stat
	if err := h.kernel.Stat(d.DstFD, at.Dot, at.NoFollow, &s); err != nil {
		return fault.Dest("stat", err)
	}
	d.CopyID, d.CopyMode = s.ID, s.Mode
	return nil
}

// openTarget opens the directory at path, or reuses the previous Pair's.
func (h *Handles) openTarget(path string) (int, error) {
	if h.target.fd >= 0 && h.target.path == path {
		return h.kernel.OpenAgain(h.target.fd)
	}
	h.CloseTarget()
	fd, err := h.kernel.OpenBase(path)
	if err == nil && h.KeepTarget {
		if again, err := h.kernel.OpenAgain(fd); err == nil { // else the path is resolved again
			h.target.path, h.target.fd = path, again
		}
	}
	return fd, err
}

// CloseTarget closes the directory that KeepTarget keeps.
func (h *Handles) CloseTarget() {
	if h.target.fd >= 0 {
		_ = h.kernel.Close(h.target.fd)
		h.target.fd = -1
	}
}

// Path is a path in two parts: a directory, and a name in it.
type Path struct {
	Dir   string
	Name  at.Name
	Slash bool // the path ended with a slash: a symbolic link Name is followed
}

// Split splits a path at its last element. If the last element is "." or "..", the path is the
// directory.
func Split(path string) Path {
	rest := strings.TrimRight(path, separators)
	slash := rest != path
	if rest == "" && slash {
		return Path{path, at.Dot, true}
	}
	i := strings.LastIndexAny(rest, separators)
	name, dir := rest[i+1:], rest[:i+1]
	if name == "." || name == ".." || path == "" {
		return Path{path, at.Dot, true} // "" is no directory: opening it fails
	}
	if dir == "" {
		dir = "."
	}
	return Path{dir, at.NameOf(name), slash}
}

// separators are the characters between the elements of a path.
var separators = func() string {
	if os.PathSeparator == '/' {
		return "/"
	}
	return string(os.PathSeparator) + "/"
}()
