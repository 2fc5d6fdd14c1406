package treecmp

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// Compare returns the first MaxDifferences differences between the files or trees at a and b. They
// must not change during the call.
func Compare(a, b string, what Aspect) ([]Difference, error) {
	c := &comparison{Aspect: what, first: [2]map[inode]string{{}, {}}}
	err := c.roots(a, b)
	for err == nil && len(c.todo) > 0 && len(c.found) < MaxDifferences {
		last := len(c.todo) - 1
		next := c.todo[last]
		c.todo = c.todo[:last]
		err = c.enter(next)
	}
	for _, rest := range c.todo {
		rest.in.leave()
	}
	return c.found[:min(len(c.found), MaxDifferences)], err
}

// comparison is two trees that are walked side by side, depth first.
type comparison struct {
	Aspect
	found []Difference
	todo  []pending
	first [2]map[inode]string // the first found name, in each tree, of files with several names
}

type inode struct{ dev, ino uint64 }

// pending is a directory in both trees that is not compared yet.
type pending struct {
	in   *dirs
	name string // its name in both trees
	path string
}

// dirs is a directory in both trees. It is open until all its entries are compared.
type dirs struct {
	fds  [2]int
	uses int
}

func (d *dirs) leave() {
	if d.uses--; d.uses == 0 {
		unix.Close(d.fds[0])
		unix.Close(d.fds[1])
	}
}

func (c *comparison) differ(path, what string, a, b any) {
	c.found = append(c.found, Difference{path, what, fmt.Sprint(a), fmt.Sprint(b)})
}

// roots compares the paths a and b, and their entries if they are directories.
func (c *comparison) roots(a, b string) error {
	isDir, err := c.file("", at{unix.AT_FDCWD, a}, at{unix.AT_FDCWD, b})
	if err != nil || !isDir {
		return err
	}
	return c.open("", at{unix.AT_FDCWD, a}, at{unix.AT_FDCWD, b})
}

// enter compares a directory. If it was its parent's last one, enter closes the parent first: a
// chain of directories of any depth needs few descriptors.
func (c *comparison) enter(p pending) error {
	defer p.in.leave()
	return c.open(p.path, at{p.in.fds[0], p.name}, at{p.in.fds[1], p.name})
}

// open opens a directory of both trees and compares its entries.
func (c *comparison) open(path string, a, b at) error {
	d := &dirs{uses: 1}
	var err error
	if d.fds[0], err = a.openDir(); err != nil {
		return err
	}
	if d.fds[1], err = b.openDir(); err != nil {
		unix.Close(d.fds[0])
		return err
	}
	defer d.leave()
	return c.entries(path, d)
}

// entries compares the entries of a directory. The entries of its directories are compared later.
func (c *comparison) entries(path string, d *dirs) error {
	names, err := c.names(path, d)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := name
		if path != "" {
			p = path + "/" + name
		}
		isDir, err := c.file(p, at{d.fds[0], name}, at{d.fds[1], name})
		if err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
		if isDir {
			d.uses++
			c.todo = append(c.todo, pending{d, name, p})
		}
	}
	return nil
}

// names returns the names, sorted, that a directory has in both trees.
func (c *comparison) names(path string, d *dirs) (both []string, err error) {
	a, err := readNames(d.fds[0])
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	b, err := readNames(d.fds[1])
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	for _, name := range a {
		if _, ok := slices.BinarySearch(b, name); ok {
			both = append(both, name)
		} else {
			c.differ(path, "only the first has", fmt.Sprintf("%q", name), "-")
		}
	}
	for _, name := range b {
		if _, ok := slices.BinarySearch(a, name); !ok {
			c.differ(path, "only the second has", "-", fmt.Sprintf("%q", name))
		}
	}
	return both, nil
}
