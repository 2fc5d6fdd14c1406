package tree

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Remove removes a tree, if there is one.
func Remove(dir string) error {
	err := eachEntry(dir, os.RemoveAll)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.Remove(dir))
}

// eachEntry does something to each entry of a directory, as many at a time as
// there are processors: what precedes a measurement takes longer than it.
func eachEntry(dir string, do func(path string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var (
		wg   sync.WaitGroup
		errs = make([]error, len(entries))
		turn = make(chan struct{}, runtime.NumCPU())
	)
	for i, e := range entries {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			errs[i] = do(filepath.Join(dir, e.Name()))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
