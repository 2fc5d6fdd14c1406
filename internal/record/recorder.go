package record

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// base is the zero of the times of all records, in any Recorder: about when this process began.
var base = time.Now()

// Now returns the current time for records: nanoseconds since base, never 0.
func Now() int64 { return max(1, int64(time.Since(base))) }

// Options configures a Recorder.
type Options struct {
	Events  int  // number of records; rounded up, to a few chunks a stripe at least
	Names   int  // bytes for names of files; rounded up
	Keep    bool // do not overwrite old records when the memory is full
	Regions bool // also make regions of runtime/trace
}

// MaxEvents is the largest Options.Events: 1 GiB of records, which 32 bits can address.
const MaxEvents = perChunk << 18

// Recorder stores records.
type Recorder struct {
	area
	serial     uint32 // unique in this process; not 0
	stripeMask uint32
	chunkMask  uint64
	locks      []stripeLock
	files      files
	labels     labels
	regions    bool
	growth     *growth // nil if all the memory exists

	hooks atomic.Uint32 // number of Hooks that have used it

	on atomic.Bool
	// started and stopped are when on was last set and cleared; see takes.
	started, stopped atomic.Int64

	full atomic.Bool // there are no more chunks, and old ones are not overwritten
}

// stripeLock is held while the stripe takes another chunk.
type stripeLock struct {
	sync.Mutex
	_ [128 - 8]byte
}

var serials atomic.Uint32

// New returns a Recorder that allocates its memory.
func New(o Options) *Recorder {
	l := o.layout()
	r := &Recorder{area: area{
		head:    new(header),
		names:   make([]byte, l.names),
		stripes: make([]stripe, l.stripes),
		chunks:  make([]chunk, l.chunks),
	}}
	// Write each page now. Otherwise the first record in it would cost a page fault, and delay the
	// operation that it describes.
	for i := range r.chunks {
		r.chunks[i].turn.Store(0)
	}
	r.head.ready.Store(uint32(l.chunks))
	r.init(o)
	return r
}

// layout has the sizes of the parts.
type layout struct{ stripes, chunks, names int }

// With stripesPerCore stripes a core, two goroutines that run at once seldom share one.
const (
	stripesPerCore = 8
	minStripes     = 32
)

func (o Options) layout() layout {
	stripes := powerOfTwo(max(minStripes, stripesPerCore*runtime.GOMAXPROCS(0)))
	chunks := powerOfTwo(max(2*stripes, (min(o.Events, MaxEvents)+perChunk-1)/perChunk))
	return layout{stripes, chunks, (max(o.Names, 1) + pageSize - 1) / pageSize * pageSize}
}

// powerOfTwo returns the smallest power of two that is not less than n. n is positive.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// init initializes a Recorder whose memory is all 0.
func (r *Recorder) init(o Options) {
	h := r.head
	copy(h.magic[:], magic)
	h.order, h.version = order, version
	h.stripes, h.chunks, h.names = uint32(len(r.stripes)), uint32(len(r.chunks)), uint32(len(r.names))
	h.origin, h.began = base.UnixNano(), Now()
	if o.Keep {
		h.keep = 1
	}
	for i := range r.stripes {
		r.stripes[i].pos.Store(perChunk) // turn 0, with all places taken
		r.stripes[i].earlier.Store(-perChunk)
	}
	r.serial = serials.Add(1)
	r.stripeMask, r.chunkMask = uint32(len(r.stripes)-1), uint64(len(r.chunks)-1)
	r.locks = make([]stripeLock, len(r.stripes))
	r.regions = o.Regions
}

// Describe stores a description of the recording, which the caller has encoded. It reports whether
// there was room for it. It must be called before the Recorder is used.
func (r *Recorder) Describe(about []byte) bool {
	if len(about) > len(r.head.about) {
		return false
	}
	r.head.aboutSize = uint32(copy(r.head.about[:], about))
	return true
}

// Start begins recording, or continues it.
func (r *Recorder) Start() {
	r.started.Store(Now())
	r.on.Store(true)
}

// Stop ends recording. Operations that have begun are still recorded when they end.
func (r *Recorder) Stop() {
	if r.on.Swap(false) {
		r.stopped.Store(Now())
	}
}

// takes reports whether the Recorder records what began at that time: it was started by then, and
// not yet stopped. With several Recorders something may have its times because another was started.
func (r *Recorder) takes(began int64) bool {
	return began >= r.started.Load() && (r.on.Load() || began <= r.stopped.Load())
}

// On reports whether the Recorder records.
func (r *Recorder) On() bool { return r.on.Load() }

// Events returns the number of records for which there is room.
func (r *Recorder) Events() int { return len(r.chunks) * perChunk }

// Uses notes that operations through this driver are recorded.
func (r *Recorder) Uses(drv uint8) { r.head.drivers.Or(1 << drv) }
