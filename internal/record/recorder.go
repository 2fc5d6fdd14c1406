package record

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// base is when this process began, as far as records are concerned: their
// times count from here, whichever Recorder they are in.
var base = time.Now()

// Now is the time of records: nanoseconds since base, and never 0.
func Now() int64 { return max(1, int64(time.Since(base))) }

// Options says how large a Recorder is.
type Options struct {
	Events  int  // records, rounded up; at least a few chunks a stripe are had
	Names   int  // bytes of names of files, rounded up
	Keep    bool // what is full stays as it is
	Regions bool // regions in runtime/trace too
}

// MostEvents is the most that Options.Events can be: 1 GiB, which 32 bits can
// address.
const MostEvents = perChunk << 18

// Recorder keeps records.
type Recorder struct {
	area
	serial     uint32 // no other Recorder of the process has it; not 0
	stripeMask uint32
	chunkMask  uint64
	locks      []stripeLock
	files      files
	regions    bool
	growth     *growth // nil if all the memory is there

	hooks atomic.Uint32 // how many it has recorded

	on   atomic.Bool
	full atomic.Bool // there are no more chunks, and what is full stays
}

// stripeLock is held to exchange the stripe's chunk.
type stripeLock struct {
	sync.Mutex
	_ [128 - 8]byte
}

var serials atomic.Uint32

// New returns a Recorder in memory of its own.
func New(o Options) *Recorder {
	l := o.layout()
	r := &Recorder{area: area{
		head:    new(header),
		names:   make([]byte, l.names),
		stripes: make([]stripe, l.stripes),
		chunks:  make([]chunk, l.chunks),
	}}
	// Touched now: a page that is first used while recording would cost a
	// fault, and the operation that it happens to.
	for i := range r.chunks {
		r.chunks[i].turn.Store(0)
	}
	r.head.there.Store(uint32(l.chunks))
	r.init(o)
	return r
}

// layout is the sizes of the parts.
type layout struct{ stripes, chunks, names int }

// stripesPerCore makes it unlikely that two goroutines that run at once share
// a stripe.
const (
	stripesPerCore = 8
	leastStripes   = 32
)

func (o Options) layout() layout {
	stripes := powerOfTwo(max(leastStripes, stripesPerCore*runtime.GOMAXPROCS(0)))
	chunks := powerOfTwo(max(2*stripes, (min(o.Events, MostEvents)+perChunk-1)/perChunk))
	return layout{stripes, chunks, (max(o.Names, 1) + pageSize - 1) / pageSize * pageSize}
}

// powerOfTwo returns the least one that is not less than n, which is positive.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// init makes a Recorder of what has memory that is all 0.
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
		r.stripes[i].pos.Store(perChunk) // turn 0, of which nothing is left
		r.stripes[i].left.Store(-perChunk)
	}
	r.serial = serials.Add(1)
	r.stripeMask, r.chunkMask = uint32(len(r.stripes)-1), uint64(len(r.chunks)-1)
	r.locks = make([]stripeLock, len(r.stripes))
	r.regions = o.Regions
}

// Describe notes what the recording is of, in the caller's words. It tells
// whether they fit. Called before the Recorder is used.
func (r *Recorder) Describe(about []byte) bool {
	if len(about) > len(r.head.about) {
		return false
	}
	r.head.aboutSize = uint32(copy(r.head.about[:], about))
	return true
}

// Start begins recording, or goes on with it.
func (r *Recorder) Start() { r.on.Store(true) }

// Stop ends recording. Operations that have begun are still recorded when they
// end.
func (r *Recorder) Stop() { r.on.Store(false) }

// On tells whether the Recorder records.
func (r *Recorder) On() bool { return r.on.Load() }

// Events is how many records there is room for.
func (r *Recorder) Events() int { return len(r.chunks) * perChunk }

// Uses notes a driver whose operations are recorded here.
func (r *Recorder) Uses(drv uint8) { r.head.drivers.Or(1 << drv) }
