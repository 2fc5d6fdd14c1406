package load

import (
	"errors"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Worker performs one load on one file through one side.
type Worker struct {
	load    Load
	way     Way
	size    int64    // of the file
	plain   *os.File // the same file, for calls outside the measurement: fsync, fadvise
	target  *target
	clients []*client
	flood   *flood // nil without a flood
	order   *order
	idle    int64 // resident memory before the file was opened
}

// NewWorker opens the file and allocates all that slices need.
func NewWorker(s Setup) (*Worker, error) {
	plain, err := os.OpenFile(s.Path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	w := &Worker{load: s.Load, way: s.Side.Way, plain: plain}
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
	w.makeClients(s.Pace)
	w.order = newOrder(w.load, w.size)
	// Measuring needs no more memory from here on. Any growth is the side's.
	debug.FreeOSMemory()
	w.idle = resident()
	if w.target, err = openTarget(s); err != nil {
		return err
	}
	w.giveBuffers()
	if w.load.Flood > 0 {
		w.flood = newFlood(w.load.Flood, w.size, w.target)
	}
	if err := w.warm(s.Prepared); err != nil {
		return errors.Join(err, w.target.close())
	}
	return nil
}

// makeClients allocates the clients. A microsecond of computation has pace units.
func (w *Worker) makeClients(pace int) {
	n := w.load.Goroutines
	if w.way.OneGoroutine() {
		n = 1
	}
	for range n {
		c := newClient(w.load.burst())
		c.work = pace * w.load.Kind.Work()
		w.clients = append(w.clients, c)
	}
}

// giveBuffers gives every client memory to read into. If the side copies from its own buffers, that
// memory need not be aligned.
func (w *Worker) giveBuffers() {
	if w.target.ownMemory {
		return
	}
	if w.target.buffers != nil {
		for _, l := range w.clients {
			l.buf = make([]byte, w.load.Size)
		}
		return
	}
	for i, buf := range buffers(len(w.clients), w.load.Size) {
		w.clients[i].buf = buf
	}
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
	if err := w.afterSlice(); err != nil {
		return Slice{}, err
	}
	if w.target.syscalls != nil {
		s.Syscalls = w.target.syscalls()
	}
	return s, nil
}

// prepare sets the page cache, and gives every client its offsets.
func (w *Worker) prepare(seed uint64) error {
	if err := SetPageCache(w.plain, w.load, w.size); err != nil {
		return err
	}
	offsets := w.order.slice(seed, len(w.clients))
	for i, l := range w.clients {
		l.reset(offsets(i))
	}
	if w.target.begin != nil {
		return w.target.begin(w.order.start(seed))
	}
	return nil
}

// measure starts all clients at once, and waits for the last one.
func (w *Worker) measure(win *window) (Slice, error) {
	var (
		wg    sync.WaitGroup
		begin = make(chan struct{})
	)
	for i, l := range w.clients {
		do := w.target.operation(w.load, i)
		wg.Go(func() {
			<-begin
			if w.target.many != nil {
				l.runMany(w.target.many, win)
				return
			}
			l.run(do, win)
		})
	}
	win.start = time.Now()
	stop := w.flood.start(win)
	late := newSleeper(w.load.Sleeper, win)
	beside := newBusy(w.load.Kind.Busy())
	close(begin)
	wg.Wait()
	computed := beside.stop()
	rate, err := stop()
	if err != nil {
		return Slice{}, err
	}
	s, err := w.collect(win)
	s.Flood, s.Computed = rate, computed
	s.LateP50, s.LateMax = late()
	return s, err
}

// collect adds up the clients' counts, and measures the memory.
func (w *Worker) collect(win *window) (Slice, error) {
	s, err := sum(w.clients, win)
	if err != nil {
		return Slice{}, err
	}
	s.Resident, s.Buffers = w.memory()
	return s, nil
}

// sum adds up the counts of clients that have ended.
func sum(clients []*client, win *window) (Slice, error) {
	all := hdrhistogram.New(1, int64(maxLatency), 2)
	s := Slice{CPU: win.cpu()}
	var end time.Duration
	for _, l := range clients {
		if l.err != nil {
			return Slice{}, l.err
		}
		s.Ops += l.ops
		end = max(end, l.now)
		all.Merge(l.hist)
	}
	// A cold load may run out of blocks before the window closes.
	s.Elapsed = max(0, min(end, win.close)-win.open)
	s.Mean = time.Duration(all.Mean())
	s.P50 = time.Duration(all.ValueAtPercentile(50))
	s.P99 = time.Duration(all.ValueAtPercentile(99))
	s.P999 = time.Duration(all.ValueAtPercentile(99.9))
	s.Max = time.Duration(all.Max())
	return s, nil
}

// Explain returns sluice's Explain; "" for other sides.
func (w *Worker) Explain() string {
	if w.target.explain == nil {
		return ""
	}
	return w.target.explain()
}

// Stats returns sluice's Stats; nil for other sides.
func (w *Worker) Stats() any {
	if w.target.stats == nil {
		return nil
	}
	return w.target.stats()
}

// memory returns Slice.Resident and Slice.Buffers.
func (w *Worker) memory() (grown, buffers int64) {
	if now := resident(); now > 0 && w.idle > 0 {
		grown = max(0, now-w.idle)
	}
	if w.target.buffers != nil {
		return grown, w.target.buffers()
	}
	return grown, int64(len(w.clients)) * int64(w.load.Size)
}

// afterSlice writes back the slice's data, so that the next slice, possibly of another side, does
// not pay for it.
func (w *Worker) afterSlice() error {
	if w.target.end != nil {
		return w.target.end()
	}
	if !w.load.Kind.Write() {
		return nil
	}
	return w.plain.Sync()
}
