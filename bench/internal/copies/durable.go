package copies

import (
	"io/fs"
	"os"
	"path/filepath"
)

// makeDurable does what is left to do after the program for its copy to be on
// disk.
func (p *Place) makeDurable(c Contender, m Mode, dst string) error {
	switch {
	case m.Sync == SyncFS:
		return syncFS(p.work)
	case m.Sync == SyncFiles && !c.Syncs:
		return fsyncEach(dst)
	}
	return nil
}

// fsyncEach is sync(1) with all files and directories as its arguments.
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
