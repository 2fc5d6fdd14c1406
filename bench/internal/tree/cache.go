package tree

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Warm reads all files of a tree, so that they are in the page cache.
func Warm(dir string) error { return eachEntry(dir, warm) }

func warm(path string) error {
	buf := make([]byte, 256<<10)
	return eachFile(path, func(f *os.File) error {
		for {
			_, err := f.Read(buf)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

// Evict asks the kernel to drop a file, or all files of a tree, from the page cache. Dirty pages
// stay. Names and inodes stay in memory.
func Evict(dir string) error { return eachFile(dir, evict) }

func eachFile(dir string, do func(*os.File) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return do(f)
	})
}
