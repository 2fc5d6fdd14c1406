package cp

import (
	"context"
	"os"
	"sync/atomic"
)

// census counts what is to be copied beside the copy itself, so that there can
// be a time to go. It is an estimate: files come and go, and what the flags
// leave out is counted.
type census struct {
	files, bytes atomic.Int64
	complete     atomic.Bool
}

const (
	// mostPending bounds the directories that a census remembers. In wider
	// trees there is no time to go.
	mostPending = 100_000
	// entriesAtOnce bounds the entries that it holds of one directory.
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

// directory counts what is in a directory, and returns those in it.
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
