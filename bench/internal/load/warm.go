package load

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// warm brings caches into the state that the load wants, as far as that is done once. For direct
// kinds the page cache must hold nothing of the file, because the kernel would look there first.
// For kinds that write through it, it must hold the span. If an earlier worker has prepared the
// page cache, only what is in this process is left to do.
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
		_, _ = dropCache(w.plain, w.size) // on failure, writeSpan overwrites what is there
		return writeSpan(w.plain, w.load, w.size)
	}
	return nil
}

const (
	fillers  = 32              // goroutines that fill a cache
	fillTime = 5 * time.Second // limit for filling it
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
