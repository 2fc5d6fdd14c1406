package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/mountinfo"
)

// controller limits one thing, in both versions of control groups.
type controller struct {
	prefix string // begins our groups' names; the process that made the group follows
	v1, v2 string // names
	file1  string // the file with the limit in a group of version 1
	file2  string // in a group of version 2
}

// hierarchy is a mounted hierarchy of control groups that has the controller.
type hierarchy struct {
	controller
	dir  string // mount point
	file string // a group's file with the limit
	v2   bool
}

func (c controller) inV1(dir string) hierarchy {
	return hierarchy{controller: c, dir: dir, file: c.file1}
}

func (c controller) inV2(dir string) hierarchy {
	return hierarchy{controller: c, dir: dir, file: c.file2, v2: true}
}

// find returns the hierarchy to use. mounts has the format of /proc/self/mounts. Version 1 comes
// first, because version 2 cannot have a controller that is in version 1.
func (c controller) find(mounts string) (hierarchy, error) {
	var first, second []hierarchy
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			continue
		}
		switch dir := mountinfo.Unescape(fields[1]); {
		case fields[2] == "cgroup" && slices.Contains(strings.Split(fields[3], ","), c.v1):
			first = append(first, c.inV1(dir))
		case fields[2] == "cgroup2":
			second = append(second, c.inV2(dir))
		}
	}
	var errs []error
	for _, h := range append(first, second...) {
		err := h.usable()
		if err == nil {
			return h, nil
		}
		errs = append(errs, err)
	}
	if errs == nil {
		return hierarchy{}, fmt.Errorf("there are no control groups: neither cgroup v1 with %s nor cgroup v2 is mounted", c.v1)
	}
	return hierarchy{}, errors.Join(errs...)
}

// usable returns an error if groups of the hierarchy cannot have the limit.
func (h hierarchy) usable() error {
	if !h.v2 {
		if _, err := os.Stat(filepath.Join(h.dir, h.file)); err != nil {
			return fmt.Errorf("cgroup v1 has no %s: %w", h.file, err)
		}
		return nil
	}
	switch has, err := h.lists("cgroup.controllers"); {
	case err != nil:
		return fmt.Errorf("cgroup v2 has no controllers: %w", err)
	case !has:
		return fmt.Errorf("cgroup v2 at %s has no %s controller (cgroup.controllers)", h.dir, h.controller.v2)
	}
	return nil
}

// lists reports whether a file in the root of the hierarchy lists the controller.
func (h hierarchy) lists(file string) (bool, error) {
	text, err := os.ReadFile(filepath.Join(h.dir, file))
	return slices.Contains(strings.Fields(string(text)), h.controller.v2), err
}

const delegated = "cgroup.subtree_control"

// enable makes the kernel give each group the limit's file. changed reports whether groups lacked
// it before.
func (h hierarchy) enable() (changed bool, err error) {
	if !h.v2 {
		return false, nil
	}
	has, err := h.lists(delegated)
	if err != nil || has {
		return false, err
	}
	if err := write(filepath.Join(h.dir, delegated), "+"+h.controller.v2); err != nil {
		if errors.Is(err, unix.EBUSY) {
			err = fmt.Errorf("%w: it is not the root of the hierarchy, and has processes of its own", err)
		}
		return false, fmt.Errorf("cannot have groups in %s limit %s: %w", h.dir, h.controller.v2, err)
	}
	return true, nil
}

// disable undoes the change of enable.
func (h hierarchy) disable() error {
	err := write(filepath.Join(h.dir, delegated), "-"+h.controller.v2)
	if errors.Is(err, unix.EBUSY) {
		return nil // another program uses it now
	}
	return err
}

// write writes to a file of a group. It must not create the file.
func write(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
