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

// cgroupMemory is the least amount of memory, in bytes, that a control group of
// this process allows it, as seen from the file system's root; unlimited if
// there is none (cgroups(7)).
//
// Version 2 limits a group by memory.max, and by memory.high, above which it is
// slowed down; each group on the way up has its own, as far up as it is mounted
// here. Version 1 tells the least of them all in memory.stat. A system may have
// both versions, of which one limits memory.
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
	path string // from its hierarchy's root
}

// memoryGroups returns those in which memory may be limited.
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

// cgroupMount is where a hierarchy of control groups can be seen.
type cgroupMount struct {
	v2   bool
	root string // the group that dir is
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
			mounts = append(mounts, cgroupMount{v2, unescape(f[3]), unescape(f[4])})
		}
	}
	return mounts
}

// unescape undoes what mountinfo makes of blanks and backslashes: \040 and so
// on.
func unescape(s string) string {
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

// limit is that of a group, as far as it can be seen in the mount. A group that
// is not below the mount's root (the process was moved after its namespace was
// made) is taken for the root itself.
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

// valueOf is the number, of bytes, behind key in a line of a file; unlimited if
// there is none, as "max" is.
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

// lines are those of a file, which has none if it cannot be read.
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
