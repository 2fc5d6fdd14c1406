package load

import (
	"sync"
	"sync/atomic"
	"time"
)

// flood reads large blocks from the file, with several goroutines, while a load is measured.
type flood struct {
	bufs   [][]byte
	blocks int64
	read   func(buf []byte, off int64) error
	seed   uint64
}

func newFlood(goroutines int, fileSize int64, t *target) *flood {
	f := &flood{bufs: buffers(goroutines, FloodSize), blocks: fileSize / FloodSize, read: t.flood}
	if f.read == nil {
		f.read = t.read
	}
	return f
}

// start starts the goroutines; with a nil flood it does nothing. stop ends them and returns the
// bytes a second that they read while the window was open.
func (f *flood) start(w *window) (stop func() (rate float64, err error)) {
	if f == nil {
		return func() (float64, error) { return 0, nil }
	}
	f.seed++
	var (
		all   sync.WaitGroup // the goroutines
		ended atomic.Bool
		parts = make([]float64, len(f.bufs))
		errs  = make([]error, len(f.bufs))
	)
	for i, buf := range f.bufs {
		all.Go(func() { parts[i], errs[i] = f.run(w, buf, uint64(i), &ended) })
	}
	return func() (float64, error) {
		ended.Store(true)
		all.Wait()
		n := 0.0
		for i, err := range errs {
			if err != nil {
				return 0, err
			}
			n += parts[i]
		}
		return n * FloodSize / (w.close - w.open).Seconds(), nil
	}
}

// run reads until ended is set. It returns how many reads fell into the window.
func (f *flood) run(w *window, buf []byte, client uint64, ended *atomic.Bool) (n float64, err error) {
	next := randomOffsets(f.seed, client, f.blocks, FloodSize)
	for !ended.Load() {
		begin := time.Since(w.start)
		off, _ := next()
		if err := f.read(buf, off); err != nil {
			return n, err
		}
		if end := time.Since(w.start); end > w.open && begin < w.close {
			n += w.share(begin, end)
		}
	}
	return n, nil
}
