package load

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// maxLatency bounds the histograms; what takes longer counts as this long.
const maxLatency = time.Minute

// lane is one goroutine's share of a slice. It is allocated by itself so that
// no two lanes write to the same cache line.
type lane struct {
	buf  []byte
	hist *hdrhistogram.Histogram
	next func() (off int64, ok bool) // ok is false when there is nothing left to do
	ops  float64                     // in the window, see window.share
	end  time.Duration               // when the last operation ended, since the slice's start
	err  error
}

// newLane returns a lane. Its histogram resolves 1 %, which keeps what a busy
// lane touches of it inside the L1 cache.
func newLane(buf []byte) *lane {
	return &lane{buf: buf, hist: hdrhistogram.New(1, int64(maxLatency), 2)}
}

// reset prepares the lane for a slice.
func (l *lane) reset(next func() (int64, bool)) {
	l.hist.Reset()
	l.next = next
	l.ops, l.end, l.err = 0, 0, nil
}

// run performs operations until the window closes, the lane's offsets are
// used up, or an operation fails. The end of an operation is the start of the
// next, so one look at the clock an operation serves the latency and the
// window; the first one starts with the slice, so that a goroutine that waits
// for a processor waits for its operation.
func (l *lane) run(do func(buf []byte, off int64) error, w *window) {
	var now time.Duration // since the slice's start
	for now < w.close {
		off, ok := l.next()
		if !ok {
			break
		}
		if l.err = do(l.buf, off); l.err != nil {
			break
		}
		prev := now
		now = time.Since(w.start)
		if now < w.open {
			continue
		}
		if prev < w.open {
			w.opened()
		}
		_ = l.hist.RecordValue(int64(min(now-prev, maxLatency))) // in range by the line itself
		l.ops += w.share(prev, now)
	}
	w.closed()
	l.end = now
}

// randomOffsets returns blocks of size bytes in random order, without end.
func randomOffsets(seed, laneNo uint64, blocks, size int64) func() (int64, bool) {
	rng := rand.New(rand.NewPCG(seed, laneNo))
	return func() (int64, bool) { return rng.Int64N(blocks) * size, true }
}

// onceOffsets returns a function, shared by all lanes, that yields each block
// once in random order.
func onceOffsets(seed uint64, blocks, size int64) func() (int64, bool) {
	perm := make([]uint32, blocks)
	for i := range perm {
		perm[i] = uint32(i)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(perm), func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
	var taken atomic.Int64
	return func() (int64, bool) {
		i := taken.Add(1) - 1
		if i >= int64(len(perm)) {
			return 0, false
		}
		return int64(perm[i]) * size, true
	}
}
