package sys

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

const unlimited = math.MaxInt64

// cgroupMemory returns how much memory, in bytes, the control groups of this process allow
// (cgroups(7)), or unlimited. root is the root of the file system. In version 2 a group has a limit
// in memory.max, and one in memory.high, above which it is slowed down. Each mounted parent group
// has limits, too. In version 1 memory.stat has the least of all limits. A system may have both
// versions; one of them limits memory.
func cgroupMemory(root fs.FS) int64 {
	least := int64(unlimited)
	for _, m := range memoryMounts(root) {
		for _, g := range memoryGroups(root) {
			if g.v2 == m.v2 {
				least = min(least, m.limit(root, g.path))
			}
		}
	}
	return least
}

// group is a control group of this process.
type group struct {
	v2   bool
	path string // from the root of its hierarchy
}

// memoryGroups returns the groups that may have a limit of memory.
func memoryGroups(root fs.FS) (groups []group) {
	for line := range lines(root, "proc/self/cgroup") {
		// 4:memory:/a/b in version 1, 0::/a/b in version 2.
		f := strings.SplitN(line, ":", 3)
		switch {
		case len(f) < 3:
		case f[0] == "0" && f[1] == "":
			groups = append(groups, group{true, f[2]})
		case slices.Contains(strings.Split(f[1], ","), "memory"):
			groups = append(groups, group{false, f[2]})
		}
	}
	return groups
}

// cgroupMount is a mount of a hierarchy of control groups.
type cgroupMount struct {
	v2   bool
	root string // the group that dir shows
	dir  string
}

// memoryMounts returns the mounts of hierarchies that may limit memory.
func memoryMounts(root fs.FS) (mounts []cgroupMount) {
	for line := range lines(root, "proc/self/mountinfo") {
		// 35 31 0:32 /root /dir rw,relatime shared:1 - cgroup cgroup rw,memory
		front, back, ok := strings.Cut(line, " - ")
		f, b := strings.Fields(front), strings.Fields(back)
		if !ok || len(f) < 5 || len(b) < 3 {
			continue
		}
		v2 := b[0] == "cgroup2"
		if v2 || b[0] == "cgroup" && slices.Contains(strings.Split(b[2], ","), "memory") {
			mounts = append(mounts, cgroupMount{v2, Unescape(f[3]), Unescape(f[4])})
		}
	}
	return mounts
}

// Unescape undoes mountinfo's escapes of blanks and backslashes, such as \040.
func Unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// limit returns the limit of a group, as far as the mount shows it. A group that is not below the
// mount's root has the limit of the root: the process was moved after its namespace was made.
func (m cgroupMount) limit(root fs.FS, group string) int64 {
	below, ok := strings.CutPrefix(group, strings.TrimSuffix(m.root, "/"))
	if !ok || below != "" && below[0] != '/' || slices.Contains(strings.Split(below, "/"), "..") {
		below = ""
	}
	dir := path.Join(m.dir, below)
	if !m.v2 {
		return valueOf(root, path.Join(dir, "memory.stat"), "hierarchical_memory_limit ")
	}
	least := int64(unlimited)
	for {
		for _, name := range []string{"memory.max", "memory.high"} {
			least = min(least, valueOf(root, path.Join(dir, name), ""))
		}
		if dir == path.Clean(m.dir) || dir == "/" {
			return least
		}
		dir = path.Dir(dir)
	}
}

// valueOf returns the number of bytes after key in a line of a file. It returns unlimited if
// there is no number, as in "max".
func valueOf(root fs.FS, name, key string) int64 {
	for line := range lines(root, strings.TrimPrefix(name, "/")) {
		if value, ok := strings.CutPrefix(line, key); ok {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
				return n
			}
		}
	}
	return unlimited
}

// lines returns the lines of a file. There are none if it cannot be read.
func lines(root fs.FS, name string) func(yield func(string) bool) {
	b, _ := fs.ReadFile(root, name)
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(b)) {
			if !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
		}
	}
}
