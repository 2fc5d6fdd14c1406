//go:build amd64 || arm64

package aio

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
)

// pooled is the pool, and what it takes to share it between the submitter and
// the goroutine in Reap. A Pool knows an operation by its pointer, so Token
// stays the queue's.
type pooled struct {
	*pool.Pool
	// n counts the operations in the pool: raised by who gives, lowered by
	// the goroutine in Reap, whom it spares the pool's lock.
	n     atomic.Int32
	batch []*driver.Op // the submitter's: given with the coming flush
	// mu makes the two who give operations one. No one waits under it.
	mu sync.Mutex
}

// init makes a pool, whose Depth is how many slots there are.
func (p *pooled) init(o pool.Options) (err error) {
	p.batch = make([]*driver.Op, 0, o.Depth)
	p.Pool, err = pool.New(o)
	return err
}

// add prepares op for flush. The submitter's.
func (p *pooled) add(op *driver.Op) { p.batch = append(p.batch, op) }

// flush gives the pool what was added. The submitter's.
func (p *pooled) flush() {
	if len(p.batch) > 0 {
		p.perform(p.batch)
		p.batch = p.batch[:0]
	}
}

// perform gives the pool ops at once.
func (p *pooled) perform(ops []*driver.Op) {
	p.n.Add(int32(len(ops)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, err := p.Submit(ops); n < len(ops) || err != nil {
		panic("aio: the pool has less room than the queue has slots")
	}
}

// collect moves performed operations into done and reports how many.
func (p *pooled) collect(done []*driver.Op) int {
	if p.n.Load() == 0 {
		return 0
	}
	n, _ := p.Reap(done, 0)
	p.n.Add(-int32(n))
	return n
}
