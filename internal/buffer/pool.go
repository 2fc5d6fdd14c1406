package buffer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/errs"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/spare"
	"github.com/sluiceio/sluice/internal/sys"
)

// Options configures a Pool. The zero value is useful.
type Options struct {
	// Limit is the most memory that the Pool maps, in bytes, rounded up to a multiple of 2 MiB. 0
	// means a sixteenth of the memory that this process may use (sys.Memory), and at least
	// Modest(64 MiB).
	Limit int64
	// Setting, if not "", names the setting of Limit in errors about it, such as "
	// (sluice.Options.BufferMemory)".
	Setting string
	// Modest lowers Limit by the function Modest, when the limit is first needed.
	Modest bool
	// Registrar, if not nil, may register all memory. Memory that it refuses is used, too.
	Registrar Registrar
}

// Registrar registers memory with drivers, when and where it is used: see ioengine.Rings.Register.
type Registrar interface {
	Register(mem []byte) (reg uint32)
	Unregister(reg uint32)
	Registered(reg uint32) bool
}

// ErrClosed is returned by Get after Close. Users of the library see it, and a Pool is closed with
// its Scheduler: so errors.Is finds os.ErrClosed in it.
var ErrClosed = errs.Wrap("buffer: the pool is closed", os.ErrClosed)

// ErrTooLarge is in the error of Get if the size is above the Pool's limit.
var ErrTooLarge = errors.New("more than the pool's limit")

// maxSize bounds all sizes, so that they do not overflow.
const maxSize = math.MaxInt - 2*slabSize

// maxIdle is how many bytes the Pool keeps mapped in idle slabs. A new slab costs about 100 µs,
// most of it for clearing the memory.
const maxIdle = 16 << 20 // 16 MiB

// Pool hands out Buffers.
type Pool struct {
	options Options
	// limited sets limit when it is first needed: the question how much memory the process may use
	// takes as long as to open and read a file.
	limited sync.Once
	limit   int64 // see Limit
	reg     Registrar
	source  func(n int) (memory, error) // a field for tests
	// exceeds lets Get go beyond limit where it would otherwise wait. Quotas set it, and bound the
	// memory in use themselves. So Mapped exceeds limit only while no free block is large enough.
	exceeds bool
	classes [numClasses]class

	inUse, peak atomic.Int64 // bytes in blocks in use
	idle        atomic.Int64 // bytes in idle slabs of classes
	closed      atomic.Bool  // written under mu

	// mu guards the state that all classes share: mapped memory, and the waiting Gets. It is held
	// in system calls. It is not held while a driver unregisters memory, which may wait for a
	// device (forget). A goroutine that holds mu may lock a class; a goroutine that holds a class
	// must not lock mu.
	mu         sync.Mutex
	slabs      list.List[slab] // all slabs
	mapped     int64           // their bytes
	mappedPeak int64
	leaving    int64             // the part of mapped whose slabs forget unmaps
	forgetting sync.WaitGroup    // goroutines in forget. None is added once the Pool is closed
	queue      list.List[waiter] // waiting Gets, in the order in which they came
	// waiting is the length of queue. It is written under mu. A goroutine that has freed a block
	// reads it without mu: see await.
	waiting atomic.Int32
	waits   int64 // how many Gets have waited
	unused  spare.Pool[waiter]
}

// NewPool returns a Pool. It has no memory until the first Get.
func NewPool(o Options) *Pool {
	p := &Pool{options: o, reg: o.Registrar, source: allocate}
	for i := range p.classes {
		p.classes[i].pool = p
	}
	return p
}

// Limit returns the most memory that the Pool maps, in bytes.
func (p *Pool) Limit() int64 {
	p.limited.Do(p.setLimit)
	return p.limit
}

func (p *Pool) setLimit() {
	limit := p.options.Limit
	switch {
	case limit <= 0:
		limit = defaultLimit(sys.Memory())
	case p.options.Modest:
		limit = Modest(limit)
	}
	p.limit = (limit + slabSize - 1) &^ (slabSize - 1)
	if p.limit < limit {
		p.limit = limit // rounding up has overflowed
	}
}

func defaultLimit(memory int64) int64 { return max(memory/16, modest(memory, 64<<20)) }

// Modest returns n, or an eighth of the memory that this process may use if that is less. It is for
// memory that the user has not asked for.
func Modest(n int64) int64 { return modest(sys.Memory(), n) }

func modest(memory, n int64) int64 {
	if memory <= 0 { // unknown
		return n
	}
	return min(n, max(memory/8, slabSize))
}

// Get returns a Buffer of n bytes with undefined contents. At the limit it waits until enough
// memory is released, or until ctx ends, and then returns ctx's error. Waiting calls are served in
// their order, whatever their sizes. A request above the limit fails at once. A caller should hold
// no Buffer while it waits, and use TryGet for all Buffers but its first: the goroutines before it
// in the queue may need that Buffer.
func (p *Pool) Get(ctx context.Context, n int) (Buffer, error) {
	index, size, err := p.checkSize(n)
	if err != nil {
		return Buffer{}, err
	}
	if p.waiting.Load() == 0 {
		if b := p.classes[index].take(size); b != nil {
			return p.newBuffer(b, n), nil
		}
	}
	b, err := p.await(ctx, index, size)
	if err != nil {
		return Buffer{}, err
	}
	return p.newBuffer(b, n), nil
}

// TryGet is Get, but returns false where Get would wait or fail. Get waits at the limit, and until
// drivers have unregistered idle memory of another size.
func (p *Pool) TryGet(n int) (Buffer, bool) {
	index, size, err := p.checkSize(n)
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
	return p.newBuffer(b, n), true
}

// Ample reports whether half of the limit would be free after a Get of n bytes. A caller that can
// do with less memory asks it before TryGet, to leave memory for callers that cannot.
func (p *Pool) Ample(n int) bool { return int64(BlockSize(n)) <= p.Limit()/2-p.inUse.Load() }

// BlockSize returns how much memory a Buffer of n bytes takes, in bytes. n is not
// negative.
func BlockSize(n int) int {
	_, size := sizeClass(min(n, maxSize))
	return size
}

// checkSize returns the class and the size of the block for n bytes.
func (p *Pool) checkSize(n int) (index, size int, err error) {
	if n < 0 {
		return 0, 0, fmt.Errorf("buffer: a Buffer of %d bytes: the size is negative", n)
	}
	index, size = sizeClass(min(n, maxSize))
	if n > maxSize || int64(size) > p.Limit() {
		return 0, 0, fmt.Errorf("a Buffer of %d bytes: %w of %d%s", n, ErrTooLarge, p.Limit(), p.options.Setting)
	}
	return index, size, nil
}

// newBuffer makes a Buffer of the block b.
func (p *Pool) newBuffer(b *block, n int) Buffer {
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

// mem returns all of the block's memory. The block is in use by the caller.
func (b *block) mem() []byte { return b.slab.mem[b.off:][:b.slab.block] }

// put takes back a block whose last reference was released.
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

// keepIdle reports whether the Pool keeps a slab that has become idle. If so, it counts the slab's
// bytes.
func (p *Pool) keepIdle(s *slab) bool {
	n := int64(len(s.mem))
	if p.closed.Load() {
		return false
	}
	if p.idle.Add(n) > maxIdle {
		p.idle.Add(-n)
		return false
	}
	return true
}

// Trim unmaps all slabs without a Buffer.
func (p *Pool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reclaim(0)
}

// Close closes the Pool. Waiting and later Gets return ErrClosed. Memory is unregistered, so no
// operation on it may be in flight. Slabs in use are unmapped when their Buffers are released.
func (p *Pool) Close() {
	defer p.forgetting.Wait() // without mu
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
