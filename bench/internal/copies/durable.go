package copies

import (
	"io/fs"
	"os"
	"path/filepath"
)

// makeDurable makes the copy durable in the mode's way, unless the program has done so.
func (p *Place) makeDurable(c Contender, m Mode, dst string) error {
	switch {
	case m.Sync == SyncFS:
		return syncFS(p.work)
	case m.Sync == SyncFiles && !c.Syncs:
		return fsyncEach(dst)
	}
	return nil
}

// fsyncEach calls fsync for each file and directory of the tree.
func fsyncEach(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	})
}
