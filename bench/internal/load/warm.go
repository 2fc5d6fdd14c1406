package load

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// warm prepares caches for the load, as far as once is enough. Direct kinds need a page cache
// without the file, because the kernel looks there first. Kinds that write through it need the span
// in it. If an earlier worker has prepared the page cache, only this process is left to warm.
func (w *Worker) warm(prepared bool) error {
	if !prepared {
		if err := w.warmPageCache(); err != nil {
			return err
		}
	}
	if w.way == ByCache {
		return w.fillCache()
	}
	return nil
}

func (w *Worker) warmPageCache() error {
	kind := w.load.Kind
	switch {
	case kind.OwnFiles(): // the file under test is not used
	case kind.Direct():
		if _, err := dropCache(w.plain, w.size); err != nil {
			return fmt.Errorf("dropping the page cache: %w", err)
		}
	case kind.Write():
		_, _ = dropCache(w.plain, w.size) // if it fails, writeSpan overwrites the cached blocks
		return writeSpan(w.plain, w.load, w.size)
	}
	return nil
}

const (
	fillers  = 32              // goroutines that fill a cache
	fillTime = 5 * time.Second // limit for fillCache
)

// fillCache fills the cache by reading blocks as a slice does.
func (w *Worker) fillCache() error {
	next := w.order.fill()
	end := time.Now().Add(fillTime)
	errs := make([]error, fillers)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			buf := make([]byte, w.load.Size)
			for off, ok := next(); ok && errs[i] == nil && time.Now().Before(end); off, ok = next() {
				errs[i] = w.target.read(buf, off)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
