package tree

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Remove removes a tree, if it exists.
func Remove(dir string) error {
	err := eachEntry(dir, os.RemoveAll)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.Remove(dir))
}

// eachEntry calls do for each entry of a directory, on all processors: preparing a measurement
// takes longer than measuring.
func eachEntry(dir string, do func(path string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var (
		wg    sync.WaitGroup
		errs  = make([]error, len(entries))
		slots = make(chan struct{}, runtime.NumCPU())
	)
	for i, e := range entries {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = do(filepath.Join(dir, e.Name()))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
