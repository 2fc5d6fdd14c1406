// Package blockdev opens the block device for raw writes, makes sure that it is not in use, and
// sets its I/O scheduler until the device is closed.
//
// A device that the user names is refused if it, one of its partitions, or anything built on them
// is mounted, is swap, or is held by another device. That check gives a clear error. The kernel
// gives the guarantee: O_EXCL fails if the device is in use.
package blockdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// System has the directories of the kernel's file systems. Tests have others.
type System struct{ Sys, Proc, Dev string }

// Host has the directories of this machine.
var Host = System{Sys: "/sys", Proc: "/proc", Dev: "/dev"}

// Device is a block device.
type Device struct {
	Name string // as in /sys/class/block
	Path string // of the device's node
	Size int64  // bytes
	// queue is the directory in sysfs with the scheduler. A partition uses the disk's.
	queue string
}

// Find returns the device of that name, in /dev or by path. The error says that the device is in
// use, is read-only or has fewer than size bytes.
func (s System) Find(name string, size int64) (*Device, error) {
	d, err := s.device(name)
	if err != nil {
		return nil, err
	}
	if err := s.unused(d.Name); err != nil {
		return nil, err
	}
	switch {
	case s.text(d.Name, "ro") == "1":
		return nil, fmt.Errorf("%s cannot be written: it is read-only", d.Path)
	case d.Size < size:
		return nil, fmt.Errorf("%s has %d bytes; want at least %d", d.Path, d.Size, size)
	}
	return d, nil
}

// device returns the device of that name, in use or not.
func (s System) device(name string) (*Device, error) {
	path := name
	if !strings.Contains(name, "/") {
		path = filepath.Join(s.Dev, name)
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no device %s", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use the device %s: %w", path, err)
	}
	d := &Device{Name: filepath.Base(real), Path: real}
	if real != s.inDev(d.Name) { // a node elsewhere may be any device
		return nil, fmt.Errorf("%s is no block device in %s", path, s.Dev)
	}
	// In sysfs a slash in a name is an exclamation mark. Disks that are named here do not have one.
	dir, err := filepath.EvalSymlinks(s.class(d.Name))
	if err != nil || s.text(d.Name, "dev") == "" {
		return nil, fmt.Errorf("%s is no block device", path)
	}
	sectors, _ := strconv.ParseInt(s.text(d.Name, "size"), 10, 64)
	d.Size = sectors * 512 // whatever the device's sector size
	if s.text(d.Name, "partition") != "" {
		dir = filepath.Dir(dir)
	}
	d.queue = filepath.Join(dir, "queue")
	return d, nil
}

func (s System) class(name string) string { return filepath.Join(s.Sys, "class", "block", name) }

// text returns an attribute of a device, or "" if it has none.
func (s System) text(name, attribute string) string {
	text, _ := os.ReadFile(filepath.Join(s.class(name), attribute))
	return strings.TrimSpace(string(text))
}

// schedulers returns the device's I/O schedulers, and the current one.
func (d *Device) schedulers() (all []string, now string) {
	text, _ := os.ReadFile(filepath.Join(d.queue, "scheduler"))
	for _, name := range strings.Fields(string(text)) {
		if chosen, ok := strings.CutPrefix(name, "["); ok {
			name = strings.TrimSuffix(chosen, "]")
			now = name
		}
		all = append(all, name)
	}
	if now == "" && len(all) == 1 {
		now = all[0]
	}
	return all, now
}

// setScheduler sets the I/O scheduler.
func (d *Device) setScheduler(name string) error {
	// Not os.WriteFile, which would create a missing file.
	f, err := os.OpenFile(filepath.Join(d.queue, "scheduler"), os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = f.WriteString(name)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot set the I/O scheduler of %s to %s: %w", d.Name, name, err)
	}
	return nil
}
