package blockdev

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/mountinfo"
)

// unused returns an error if the device, one of its partitions, or a device built on them is in
// use, or if that is unknown.
func (s System) unused(name string) error {
	mounts, err := os.ReadFile(filepath.Join(s.Proc, "self", "mountinfo"))
	if err != nil {
		return fmt.Errorf("cannot tell whether %s is mounted: %w", name, err)
	}
	swaps, err := os.ReadFile(filepath.Join(s.Proc, "swaps"))
	if err != nil && !os.IsNotExist(err) { // a kernel without swap has none
		return fmt.Errorf("cannot tell whether %s is swap: %w", name, err)
	}
	for _, part := range append([]string{name}, s.partitions(name)...) {
		whose := s.inDev(name)
		if part != name {
			whose += " has the partition " + part + ", which"
		}
		if point, ok := s.mounted(part, string(mounts)); ok {
			return fmt.Errorf("%s is mounted on %s; nothing is overwritten", whose, point)
		}
		if s.swap(part, string(swaps)) {
			return fmt.Errorf("%s is swap; nothing is overwritten", whose)
		}
		if holders := s.holders(part); len(holders) > 0 {
			return fmt.Errorf("%s is held by %s; nothing is overwritten", whose, strings.Join(holders, ", "))
		}
	}
	return nil
}

func (s System) inDev(name string) string { return filepath.Join(s.Dev, name) }

// partitions returns the names of a disk's partitions.
func (s System) partitions(name string) []string {
	found, _ := filepath.Glob(filepath.Join(s.class(name), "*", "partition"))
	for i, path := range found {
		found[i] = filepath.Base(filepath.Dir(path))
	}
	return found
}

// mounted returns the device's mount point. mounts is the text of mountinfo
// (proc_pid_mountinfo(5)). A line names the device by its number, or with btrfs only as the source.
func (s System) mounted(name, mounts string) (point string, ok bool) {
	number := s.text(name, "dev")
	for line := range strings.Lines(mounts) {
		left, right, _ := strings.Cut(line, " - ")
		a, b := strings.Fields(left), strings.Fields(right)
		if len(a) < 5 {
			continue
		}
		if a[2] == number || (len(b) > 1 && s.is(mountinfo.Unescape(b[1]), name)) {
			return mountinfo.Unescape(a[4]), true
		}
	}
	return "", false
}

// swap reports whether the device is in /proc/swaps.
func (s System) swap(name, swaps string) bool {
	for line := range strings.Lines(swaps) {
		if fields := strings.Fields(line); len(fields) > 0 && s.is(mountinfo.Unescape(fields[0]), name) {
			return true
		}
	}
	return false
}

// is reports whether path leads to the device's node.
func (s System) is(path, name string) bool {
	if path == s.inDev(name) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real == s.inDev(name)
}

// holders returns the devices that are built on the device: by a volume manager, RAID or
// encryption, and loop devices.
func (s System) holders(name string) []string {
	var names []string
	entries, _ := os.ReadDir(filepath.Join(s.class(name), "holders"))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	backing, _ := filepath.Glob(filepath.Join(s.class("loop*"), "loop", "backing_file"))
	for _, path := range backing {
		if text, _ := os.ReadFile(path); s.is(strings.TrimSpace(string(text)), name) {
			names = append(names, filepath.Base(filepath.Dir(filepath.Dir(path))))
		}
	}
	return names
}
