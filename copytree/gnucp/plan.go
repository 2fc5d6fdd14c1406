package gnucp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// plan is the sources and their destinations.
type plan struct {
	settings *settings
	follow   option.Follow
	dir      string // "" unless sources are copied into a directory
	sources  []string
	dst      string // the path of the copy; unused with dir
}

// newPlan reads the operands as GNU cp does. The last operand is the destination. If it is a
// directory, sources are copied into it. With more than two operands it must be a directory.
func newPlan(s *settings) (*plan, error) {
	p := &plan{settings: s, follow: s.following(), sources: s.operands}
	if err := p.checkOperands(); err != nil {
		return nil, err
	}
	if err := p.setDestination(); err != nil {
		return nil, err
	}
	if s.parents && p.dir == "" {
		return nil, usage("with --parents, the destination must be a directory")
	}
	if s.stripSlashes {
		for i, src := range p.sources {
			p.sources[i] = stripSlashes(src)
		}
	}
	return p, nil
}

func (p *plan) checkOperands() error {
	s := p.settings
	n := len(s.operands)
	switch {
	case n == 0, n == 1 && s.target == nil:
		if n == 0 {
			return usage("missing file operand")
		}
		return usage("missing destination file operand after " + quote(s.operands[0]))
	case s.noTarget && s.target != nil:
		return errors.New("cannot combine --target-directory (-t) and --no-target-directory (-T)")
	case s.noTarget && n > 2:
		return usage("extra operand " + quote(s.operands[2]))
	}
	return nil
}

// setDestination sets dir if sources are copied into a directory. Otherwise it sets dst.
func (p *plan) setDestination() error {
	s := p.settings
	if s.target != nil {
		p.dir = *s.target
		return wantDir("target directory", p.dir)
	}
	last := len(p.sources) - 1
	dst := p.sources[last]
	p.sources = p.sources[:last]
	if s.noTarget {
		p.dst = dst
		return nil
	}
	err := wantDir("target", dst)
	switch {
	case err == nil:
		p.dir = dst
	case len(p.sources) > 1:
		return err
	default:
		p.dst = dst
	}
	return nil
}

// wantDir returns an error if name is not a directory. The current directory is one, although stat
// fails if it may not be searched.
func wantDir(what, name string) error {
	if isCurrent(name) {
		return nil
	}
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return failed(what, name, err)
	}
	return nil
}

// isCurrent reports whether name is "." in any spelling, such as "././".
func isCurrent(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Trim(name, "./") == "" && !strings.Contains(name, "..")
}

// path returns the path of src's copy.
func (p *plan) path(src string) string {
	if p.dir == "" {
		return p.dst
	}
	if p.settings.parents {
		return join(p.dir, stripSlashes(src))
	}
	base := lastName(src)
	if base == ".." { // entries of the parent directory belong into dir
		return p.dir
	}
	return join(p.dir, base)
}

// stat returns the FileInfo of src. It follows links as the copy does.
func (p *plan) stat(src string) (fs.FileInfo, error) {
	if p.follow == option.FollowNone {
		return os.Lstat(src)
	}
	return os.Stat(src)
}

// makesDirectory reports whether the copy creates its destination as a directory. The next run of
// the same command would copy into that directory.
func (p *plan) makesDirectory() bool {
	if p.dir != "" || p.settings.noTarget {
		return false
	}
	info, err := p.stat(p.sources[0])
	return err == nil && info.IsDir()
}

// lastName returns the last name of a path, without slashes at the end.
func lastName(path string) string {
	path = stripSlashes(path)
	return path[strings.LastIndexByte(path, os.PathSeparator)+1:]
}

// stripSlashes removes the slashes at the end of a path, except for the root.
func stripSlashes(path string) string {
	if stripped := strings.TrimRight(path, string(filepath.Separator)); stripped != "" || path == "" {
		return stripped
	}
	return string(filepath.Separator)
}

// join puts one slash between two parts. Unlike filepath.Join it keeps the parts as typed: messages
// show them, and a/../b is not b if a is a symbolic link.
func join(dir, name string) string {
	const slash = string(filepath.Separator)
	trimmed := strings.TrimRight(dir, slash)
	return trimmed + slash + strings.TrimLeft(name, slash)
}
