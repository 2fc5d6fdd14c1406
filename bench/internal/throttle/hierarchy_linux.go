package throttle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// hierarchy is a mounted hierarchy of control groups that can limit I/O: version 1 with the
// controller blkio, or version 2 with the controller io.
type hierarchy struct {
	dir  string // mount point
	file string // the file of a group that holds the limits
	rate string // format of a limit: device, reads a second
	none string // format that removes the limit: device
	v2   bool
}

func v1(dir string) hierarchy {
	return hierarchy{dir: dir, file: "blkio.throttle.read_iops_device", rate: "%s %d", none: "%s 0"}
}

func v2(dir string) hierarchy {
	return hierarchy{dir: dir, file: "io.max", rate: "%s riops=%d", none: "%s riops=max", v2: true}
}

// find returns the hierarchy to use. mounts has the format of /proc/self/mounts. Version 1 comes
// first, because version 2 cannot have the controller where version 1 has blkio.
func find(mounts string) (hierarchy, error) {
	var first, second []hierarchy
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			continue
		}
		switch dir := unescape(fields[1]); {
		case fields[2] == "cgroup" && slices.Contains(strings.Split(fields[3], ","), "blkio"):
			first = append(first, v1(dir))
		case fields[2] == "cgroup2":
			second = append(second, v2(dir))
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
		return hierarchy{}, errors.New("there are no control groups: neither cgroup v1 with blkio nor cgroup v2 is mounted")
	}
	return hierarchy{}, errors.Join(errs...)
}

// unescape returns a path of /proc/self/mounts without its escapes.
func unescape(name string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(name)
}

// usable returns an error if groups cannot limit I/O in the hierarchy.
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
		return fmt.Errorf("cgroup v2 at %s has no io controller (cgroup.controllers)", h.dir)
	}
	return nil
}

// lists reports whether a file in the root of the hierarchy lists the controller io.
func (h hierarchy) lists(file string) (bool, error) {
	text, err := os.ReadFile(filepath.Join(h.dir, file))
	return slices.Contains(strings.Fields(string(text)), "io"), err
}

const delegated = "cgroup.subtree_control"

// enable makes the kernel give each group the file io.max. changed reports whether groups did not
// have it before.
func (h hierarchy) enable() (changed bool, err error) {
	if !h.v2 {
		return false, nil
	}
	has, err := h.lists(delegated)
	if err != nil || has {
		return false, err
	}
	if err := write(filepath.Join(h.dir, delegated), "+io"); err != nil {
		if errors.Is(err, unix.EBUSY) {
			err = fmt.Errorf("%w: it is not the root of the hierarchy, and has processes of its own", err)
		}
		return false, fmt.Errorf("cannot have groups in %s limit I/O: %w", h.dir, err)
	}
	return true, nil
}

// disable undoes what enable changed.
func (h hierarchy) disable() error {
	err := write(filepath.Join(h.dir, delegated), "-io")
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
