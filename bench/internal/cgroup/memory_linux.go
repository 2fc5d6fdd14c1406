package cgroup

import (
	"fmt"
	"os"
	"strconv"
)

// memory limits the memory of processes, including the pages of files that they have read.
var memory = controller{
	prefix: "sluice-memory-",
	v1:     "memory", file1: "memory.limit_in_bytes",
	v2: "memory", file2: "memory.max",
}

// noMemoryLimit returns the text that removes a limit of memory.
func (h hierarchy) noMemoryLimit() string {
	if h.v2 {
		return "max"
	}
	return "-1"
}

// Memory makes a group whose processes share so many bytes of memory: their own, and the page cache
// of the files that they read and write. It needs root. It also removes the groups of killed
// processes. The caller must close the Group, even in a panic.
func Memory(bytes int64) (*Group, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("cannot limit memory: %w", err)
	}
	return limitMemory(bytes, string(mounts), os.Mkdir)
}

// LimitMemory changes the limit of a Group that Memory has made.
func (g *Group) LimitMemory(bytes int64) error {
	if err := g.set(strconv.FormatInt(bytes, 10)); err != nil {
		return fmt.Errorf("cannot set the limit of a control group: %w", err)
	}
	return nil
}

// limitMemory is Memory with given mounts, and a function that makes a group.
func limitMemory(bytes int64, mounts string, mkdir func(string, os.FileMode) error) (*Group, error) {
	in, err := memory.find(mounts)
	if err != nil {
		return nil, fmt.Errorf("cannot limit memory: %w", err)
	}
	g, err := newGroup(in, strconv.FormatInt(bytes, 10), in.noMemoryLimit(), mkdir)
	if err != nil {
		return nil, fmt.Errorf("cannot limit memory: %w", err)
	}
	return g, nil
}
