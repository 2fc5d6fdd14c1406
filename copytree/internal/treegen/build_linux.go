package treegen

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Build makes the tree at dir, which must not exist. Its calls are relative to open directories, so
// that paths may be longer than PATH_MAX. Only root sets owners. An error names the node that could
// not be made; earlier nodes stay.
func Build(dir string, t Tree) error {
	if err := unix.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("mkdir %q: %w", dir, err)
	}
	return each(dir, t,
		func(w *walker) error { return w.all(t, create) },
		func(w *walker) error { return w.backwards(t, attributes) },
		func(w *walker) error { return w.backwards(t, times) })
}

// SetTimes sets all times of a tree again, because reading the tree changes some.
func SetTimes(dir string, t Tree) error {
	return each(dir, t, func(w *walker) error { return w.backwards(t, times) })
}

// each runs steps for the tree in dir.
func each(dir string, t Tree, steps ...func(*walker) error) error {
	root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %q: %w", dir, err)
	}
	defer unix.Close(root)
	for _, step := range steps {
		w := &walker{root: root, last: -1}
		err := step(w)
		w.leave()
		if err != nil {
			return err
		}
	}
	return nil
}

// walker opens the directories of nodes. It keeps the last one open.
type walker struct {
	root     int
	lastPath string
	last     int // -1 if none is open
}

func (w *walker) leave() {
	if w.last >= 0 {
		unix.Close(w.last)
	}
	w.last = -1
}

// at returns the directory of a path, and the name in it. The directory stays open until the next
// call.
func (w *walker) at(p string) (dir int, name string, err error) {
	in, name := parent(p)
	if in == "" {
		return w.root, name, nil
	}
	if w.last >= 0 && w.lastPath == in {
		return w.last, name, nil
	}
	w.leave()
	w.last, err = w.open(in)
	w.lastPath = in
	return w.last, name, err
}

// open opens a directory, one name after the other.
func (w *walker) open(p string) (int, error) {
	fd := w.root
	for name := range strings.SplitSeq(p, "/") {
		next, err := unix.Openat(fd, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if fd != w.root {
			unix.Close(fd)
		}
		if err != nil {
			return -1, err
		}
		fd = next
	}
	return fd, nil
}

// all runs a step for each node, directories first.
func (w *walker) all(t Tree, step func(*walker, int, string, Node) error) error {
	for _, n := range t {
		dir, name, err := w.at(n.Path)
		if err == nil {
			err = step(w, dir, name, n)
		}
		if err != nil {
			return fmt.Errorf("%v %q: %w", n.Kind, n.Path, err)
		}
	}
	return nil
}

// backwards runs a step for each node, directories last. Otherwise their modes could keep the
// process out, and their times would change.
func (w *walker) backwards(t Tree, step func(*walker, int, string, Node) error) error {
	t = slices.Clone(t)
	slices.Reverse(t)
	return w.all(t, step)
}

// create makes the file, with a mode that allows the other steps.
func create(w *walker, dir int, name string, n Node) error {
	switch n.Kind {
	case Dir:
		if n.Path == "" {
			return nil
		}
		return unix.Mkdirat(dir, name, 0o700)
	case File:
		return makeFile(dir, name, n)
	case Symlink:
		return unix.Symlinkat(n.Target, dir, name)
	case HardLink:
		return w.link(dir, name, n.Target)
	}
	modes := map[Kind]uint32{FIFO: unix.S_IFIFO, Socket: unix.S_IFSOCK, CharDevice: unix.S_IFCHR, BlockDevice: unix.S_IFBLK}
	return unix.Mknodat(dir, name, modes[n.Kind]|0o600, int(unix.Mkdev(n.Major, n.Minor)))
}

// link makes a hard link in dir to the file at path old.
func (w *walker) link(dir int, name, old string) error {
	in, oldName := parent(old)
	from, err := w.openAny(in)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	return unix.Linkat(from, oldName, dir, name, 0)
}

// openAny is open for any directory, the root too. It always returns a new descriptor.
func (w *walker) openAny(p string) (int, error) {
	if p == "" {
		return unix.FcntlInt(uintptr(w.root), unix.F_DUPFD_CLOEXEC, 0)
	}
	return w.open(p)
}
