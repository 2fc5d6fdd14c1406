//go:build amd64 || arm64

package aio

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
)

// pooled is the pool, shared between the goroutines that submit and the one in Reap. A Pool
// identifies an operation by its pointer, so Token stays the queue's.
type pooled struct {
	*pool.Pool
	// n is the number of operations in the pool. perform increments it, Reap
	// decrements it. While it is 0, Reap need not take the pool's lock.
	n     atomic.Int32
	batch []*driver.Op // for the next flush. Used by the submitter alone
	// mu allows one call of the pool's Submit at a time. No goroutine waits
	// while it holds mu.
	mu sync.Mutex
}

// init makes a pool. Its Depth is the number of slots.
func (p *pooled) init(o pool.Options) (err error) {
	p.batch = make([]*driver.Op, 0, o.Depth)
	p.Pool, err = pool.New(o)
	return err
}

// add adds op to the next flush. Only the submitter calls it.
func (p *pooled) add(op *driver.Op) { p.batch = append(p.batch, op) }

// flush submits the added operations to the pool. Only the submitter calls it.
func (p *pooled) flush() {
	if len(p.batch) > 0 {
		p.perform(p.batch)
		p.batch = p.batch[:0]
	}
}

// perform submits ops to the pool.
func (p *pooled) perform(ops []*driver.Op) {
	p.n.Add(int32(len(ops)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, err := p.Submit(ops); n < len(ops) || err != nil {
		panic("aio: the pool has less room than the queue has slots")
	}
}

// collect moves completed operations to done, and returns their number.
func (p *pooled) collect(done []*driver.Op) int {
	if p.n.Load() == 0 {
		return 0
	}
	n, _ := p.Reap(done, 0)
	p.n.Add(-int32(n))
	return n
}
