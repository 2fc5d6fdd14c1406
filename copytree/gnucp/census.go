package gnucp

import (
	"context"
	"os"
	"sync/atomic"
)

// census counts the files to copy while they are copied, to estimate the time left. The count is an
// estimate, too: files come and go, and it includes files that the flags leave out.
type census struct {
	files, bytes atomic.Int64
	complete     atomic.Bool
}

const (
	// mostPending bounds the directories that a census remembers. In wider
	// trees the time left stays unknown.
	mostPending = 100_000
	// entriesAtOnce bounds the entries of one directory that a census holds.
	entriesAtOnce = 1024
)

// take counts the trees of these paths until ctx ends.
func (c *census) take(ctx context.Context, paths []string, follow bool) {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	var pending []string
	for _, path := range paths {
		if info, err := stat(path); err == nil && info.IsDir() {
			pending = append(pending, path)
		} else if err == nil {
			c.add(info)
		}
	}
	for len(pending) > 0 && len(pending) < mostPending && ctx.Err() == nil {
		last := len(pending) - 1
		pending = append(pending[:last], c.directory(ctx, pending[last])...)
	}
	c.complete.Store(len(pending) == 0)
}

// directory counts the files in a directory, and returns the directories in it.
func (c *census) directory(ctx context.Context, path string) (dirs []string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	for ctx.Err() == nil && len(dirs) < mostPending {
		entries, err := f.ReadDir(entriesAtOnce)
		for _, e := range entries {
			if e.IsDir() {
				dirs = append(dirs, join(path, e.Name()))
			} else if info, err := e.Info(); err == nil {
				c.add(info)
			}
		}
		if err != nil {
			break
		}
	}
	return dirs
}

func (c *census) add(info os.FileInfo) {
	c.files.Add(1)
	if info.Mode().IsRegular() {
		c.bytes.Add(info.Size())
	}
}
