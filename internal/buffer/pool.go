package buffer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/sys"
)

// Options configures a Pool. The zero value is useful.
type Options struct {
	// Limit is the most memory that the Pool has from the system at any time,
	// in bytes; 0 means a sixteenth of what this process may use (sys.Memory),
	// and at least Modest(64 MiB). It is rounded up to a multiple of 2 MiB.
	Limit int64
	// Registrar, if not nil, is told of all memory. What it refuses is used
	// all the same.
	Registrar Registrar
}

// Registrar wants to know memory before it is used, as a driver.Registrar
// does.
type Registrar interface {
	Register(mem []byte) (index int, err error)
	Unregister(index int)
}

// ErrClosed is what Get of a closed Pool returns.
var ErrClosed = errors.New("buffer: the pool is closed")

// ErrTooLarge is wrapped by what Get returns for more than the Pool's limit.
var ErrTooLarge = errors.New("more than the pool's limit")

// largest is what no limit allows to exceed, so that sizes do not overflow.
const largest = math.MaxInt - 2*slabSize

// keep is how much memory without a Buffer in it the Pool keeps, in bytes,
// rather than to give it back to the system and ask for it anew: a slab costs
// some 100 µs, most of which is for clearing it.
const keep = 16 << 20 // 16 MiB

// Pool gives out Buffers.
type Pool struct {
	limit   int64
	reg     Registrar
	source  func(n int) (memory, error) // a field for tests
	classes [numClasses]class

	inUse, peak atomic.Int64 // bytes in blocks that somebody has
	idle        atomic.Int64 // bytes of the slabs in classes that have no block in use
	closed      atomic.Bool  // written under mu

	// mu is for all that is not done by a class: memory from and to the
	// system, and those who wait. It is held in system calls. Whoever holds
	// it may lock a class, never the other way round.
	mu         sync.Mutex
	slabs      list.List[slab] // all there are
	mapped     int64           // their bytes
	mappedPeak int64
	queue      list.List[waiter] // in the order in which they came
	// waiting is the length of queue. Written under mu; read without, by who
	// has made a block free: see await.
	waiting atomic.Int32
	waits   int64 // Gets that have had to wait, ever
}

// NewPool returns a Pool. It has no memory until the first Get.
func NewPool(o Options) *Pool {
	limit := o.Limit
	if limit <= 0 {
		limit = defaultLimit(sys.Memory())
	}
	p := &Pool{limit: (limit + slabSize - 1) &^ (slabSize - 1), reg: o.Registrar, source: allocate}
	if p.limit < limit {
		p.limit = limit // it was next to the largest number
	}
	for i := range p.classes {
		p.classes[i].pool = p
	}
	return p
}

func defaultLimit(memory int64) int64 { return max(memory/16, modest(memory, 64<<20)) }

// Modest is n bytes, or less where that would be more than an eighth of the
// memory that this process may use: what to take unasked.
func Modest(n int64) int64 { return modest(sys.Memory(), n) }

func modest(memory, n int64) int64 {
	if memory <= 0 { // not known
		return n
	}
	return min(n, max(memory/8, slabSize))
}

// Get returns a Buffer of n bytes, whose contents are undefined. When the
// limit is reached it waits until enough has been released, or ctx ends, whose
// error it then returns. Those who wait are served in the order in which they
// came, whatever their sizes: a large request is not overtaken for ever. A
// request above the limit is an error at once.
//
// Who waits while he holds a Buffer that another needs in order to go on may
// wait for ever: what can do with less takes what is beyond its first Buffer
// with TryGet.
func (p *Pool) Get(ctx context.Context, n int) (Buffer, error) {
	index, size, err := p.fit(n)
	if err != nil {
		return Buffer{}, err
	}
	if p.waiting.Load() == 0 {
		if b := p.classes[index].take(size); b != nil {
			return p.hand(b, n), nil
		}
	}
	b, err := p.await(ctx, index, size)
	if err != nil {
		return Buffer{}, err
	}
	return p.hand(b, n), nil
}

// TryGet is Get that returns false where Get would wait or fail.
func (p *Pool) TryGet(n int) (Buffer, bool) {
	index, size, err := p.fit(n)
	if err != nil || p.waiting.Load() != 0 {
		return Buffer{}, false
	}
	b := p.classes[index].take(size)
	if b == nil {
		p.mu.Lock()
		if !p.closed.Load() && p.queue.Len() == 0 {
			b, _ = p.find(index, size)
		}
		p.mu.Unlock()
	}
	if b == nil {
		return Buffer{}, false
	}
	return p.hand(b, n), true
}

// Ample tells whether half of the limit is left with a Buffer of n bytes more:
// when who can do with less may take it by TryGet, and yet leave enough to those
// who cannot.
func (p *Pool) Ample(n int) bool { return int64(BlockSize(n)) <= p.limit/2-p.inUse.Load() }

// Limit is the most memory that the Pool has, in bytes.
func (p *Pool) Limit() int64 { return p.limit }

// BlockSize is how much memory a Buffer of n bytes takes, which is not
// negative.
func BlockSize(n int) int {
	_, size := fit(min(n, largest))
	return size
}

// fit returns the class and the size of the block for n bytes.
func (p *Pool) fit(n int) (index, size int, err error) {
	if n < 0 {
		return 0, 0, fmt.Errorf("buffer: a Buffer of %d bytes: the size is negative", n)
	}
	index, size = fit(min(n, largest))
	if n > largest || int64(size) > p.limit {
		return 0, 0, fmt.Errorf("buffer: a Buffer of %d bytes: %w of %d", n, ErrTooLarge, p.limit)
	}
	return index, size, nil
}

// hand makes b the caller's.
func (p *Pool) hand(b *block, n int) Buffer {
	gen := uint32(b.word.Load() >> 32)
	if debug && gen > 0 {
		checkPoison(b.mem())
	}
	used := p.inUse.Add(int64(b.slab.block))
	for {
		peak := p.peak.Load()
		if used <= peak || p.peak.CompareAndSwap(peak, used) {
			break
		}
	}
	b.word.Store(uint64(gen)<<32 | 1)
	return Buffer{block: b, gen: gen, hi: n}
}

// mem is the whole of the block's memory. The caller has the block.
func (b *block) mem() []byte { return b.slab.mem[b.off:][:b.slab.block] }

// put takes back a block whose last reference has been released.
func (p *Pool) put(b *block) {
	if debug {
		poison(b.mem())
	}
	p.inUse.Add(-int64(b.slab.block))
	if spare := b.slab.class.put(b); spare != nil {
		p.mu.Lock()
		p.unmap(spare)
		p.mu.Unlock()
	}
	if p.waiting.Load() > 0 {
		p.mu.Lock()
		p.serve()
		p.mu.Unlock()
	}
}

// keepIdle tells whether a slab that has no block in use any more stays, and
// counts it if so.
func (p *Pool) keepIdle(s *slab) bool {
	n := int64(len(s.mem))
	if p.closed.Load() {
		return false
	}
	if p.idle.Add(n) > keep {
		p.idle.Add(-n)
		return false
	}
	return true
}

// Trim gives all memory back to the system that no Buffer is in.
func (p *Pool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reclaim(0)
}

// Close ends the Pool: those who wait get ErrClosed, as do later Gets. Memory
// is unregistered, for which no operation may be in flight, and given back;
// what is still in use, when it is released.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed.Store(true)
	for w := p.queue.Front(); w != nil; w = p.queue.Front() {
		p.finish(w, nil, ErrClosed)
	}
	for s := p.slabs.Front(); s != nil; s = s.mapped.Next() {
		p.unregister(s)
	}
	p.reclaim(0)
}
