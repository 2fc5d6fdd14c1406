package load

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// minGone is how much of the file must have left the page cache for a read
// to be called cold.
const minGone = 0.99

// Worker performs one load on one file through one side.
type Worker struct {
	load   Load
	size   int64    // of the file
	plain  *os.File // the same file, for what is not measured: fsync, fadvise
	target *target
	lanes  []*lane
}

// NewWorker opens the file and allocates what the slices need.
func NewWorker(s Setup) (*Worker, error) {
	plain, err := os.OpenFile(s.Path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	w := &Worker{load: s.Load, plain: plain}
	if err := w.open(s); err != nil {
		return nil, errors.Join(err, plain.Close())
	}
	return w, nil
}

func (w *Worker) open(s Setup) error {
	info, err := w.plain.Stat()
	if err != nil {
		return err
	}
	w.size = info.Size()
	if err := w.load.check(w.size); err != nil {
		return err
	}
	if w.target, err = openTarget(s); err != nil {
		return err
	}
	for _, buf := range buffers(w.load.Goroutines, w.load.Size) {
		w.lanes = append(w.lanes, newLane(buf))
	}
	if err := w.warmCache(); err != nil {
		return errors.Join(err, w.target.close())
	}
	return nil
}

// warmCache brings the page cache into the state that the load asks for:
// its span for kinds that work in it, nothing for direct ones (which would
// otherwise have to look there first).
func (w *Worker) warmCache() error {
	if w.load.Kind == ReadCached {
		_, err := io.CopyN(io.Discard, w.plain, w.load.Span(w.size))
		return err
	}
	if w.load.Kind == ReadCold {
		return nil // dropped before each slice
	}
	if _, err := dropCache(w.plain, w.size); err != nil && w.load.Kind.Direct() {
		return fmt.Errorf("dropping the page cache: %w", err)
	}
	if w.load.Kind.Direct() {
		return nil
	}
	return w.writeSpan()
}

// writeSpan fills the span by writes of the load's size. The kernel caches a
// file in pieces as large as what brought them in: after a long sequential
// read, each write of 4 KiB would have to do with one of 2 MiB, and take
// 30 us on ext4 (6.18) instead of 3.
func (w *Worker) writeSpan() error {
	buf := w.lanes[0].buf
	for off := int64(0); off+int64(len(buf)) <= w.load.Span(w.size); off += int64(len(buf)) {
		if _, err := w.plain.WriteAt(buf, off); err != nil {
			return err
		}
	}
	return w.plain.Sync()
}

// Close closes the file under test.
func (w *Worker) Close() error {
	return errors.Join(w.target.close(), w.plain.Close())
}

// Run performs one slice.
func (w *Worker) Run(req SliceReq) (Slice, error) {
	if err := w.prepare(req.Seed); err != nil {
		return Slice{}, err
	}
	s, err := w.measure(&window{open: req.Lead, close: req.Lead + req.Time})
	if err != nil {
		return Slice{}, err
	}
	return s, w.settle()
}

// prepare gives every lane its offsets.
func (w *Worker) prepare(seed uint64) error {
	blocks, size := w.load.blocks(w.size), int64(w.load.Size)
	if w.load.Kind != ReadCold {
		for i, l := range w.lanes {
			l.reset(randomOffsets(seed, uint64(i), blocks, size))
		}
		return nil
	}
	gone, err := dropCache(w.plain, w.size)
	if err != nil {
		return err
	}
	if gone < minGone {
		return &unsupportedError{"the page cache cannot be dropped on this file system"}
	}
	next := onceOffsets(seed, blocks, size)
	for _, l := range w.lanes {
		l.reset(next)
	}
	return nil
}

// measure lets all lanes go at once and waits for the last.
func (w *Worker) measure(win *window) (Slice, error) {
	var (
		wg    sync.WaitGroup
		begin = make(chan struct{})
		do    = w.target.operation(w.load)
	)
	for _, l := range w.lanes {
		wg.Go(func() {
			<-begin
			l.run(do, win)
		})
	}
	win.start = time.Now()
	close(begin)
	wg.Wait()
	return w.collect(win)
}

// collect sums the lanes up.
func (w *Worker) collect(win *window) (Slice, error) {
	all := hdrhistogram.New(1, int64(maxLatency), 2)
	s := Slice{CPU: win.cpu()}
	var end time.Duration
	for _, l := range w.lanes {
		if l.err != nil {
			return Slice{}, l.err
		}
		s.Ops += l.ops
		end = max(end, l.end)
		all.Merge(l.hist)
	}
	// Blocks to read cold may be used up before the time is.
	s.Elapsed = max(0, min(end, win.close)-win.open)
	s.Mean = time.Duration(all.Mean())
	s.P50 = time.Duration(all.ValueAtPercentile(50))
	s.P99 = time.Duration(all.ValueAtPercentile(99))
	s.Max = time.Duration(all.Max())
	return s, nil
}

// settle leaves nothing behind that the next slice, which may be the other
// side's, would pay for.
func (w *Worker) settle() error {
	if !w.load.Kind.Write() {
		return nil
	}
	return w.plain.Sync()
}
