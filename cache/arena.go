package cache

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/buffer"
)

// arena is the memory for blocks. It allocates chunks of maxBlock bytes, each when its first block
// is needed.
type arena struct {
	block, perChunk int
	pool            *buffer.Pool

	mu    sync.Mutex
	used  int // blocks handed out so far; none is ever returned
	total int
	held  []buffer.Buffer
	// chunks is written under mu. memory reads it without mu: alloc has written the entry before it
	// returned the block's number.
	chunks [][]byte
}

func newArena(total, block int) *arena {
	perChunk := maxBlock / block
	return &arena{
		block: block, perChunk: perChunk, total: total,
		pool:   buffer.NewPool(buffer.Options{Limit: int64(total) * int64(block)}),
		chunks: make([][]byte, (total+perChunk-1)/perChunk),
	}
}

// next returns the number of a new block. ok is false if the system has no memory left.
func (a *arena) next() (at uint32, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.used / a.perChunk
	if a.chunks[i] == nil {
		n := min(a.perChunk, a.total-a.used) * a.block
		b, err := a.pool.Get(context.Background(), n) // never waits: no other code uses this pool
		if err != nil {
			return 0, false
		}
		a.held = append(a.held, b)
		a.chunks[i] = b.Bytes()
	}
	a.used++
	return uint32(a.used - 1), true
}

// memory returns the bytes of a block that next has returned.
func (a *arena) memory(at uint32) []byte {
	lo := int(at) % a.perChunk * a.block
	return a.chunks[int(at)/a.perChunk][lo : lo+a.block : lo+a.block]
}

// close returns all memory to the system. No block may be in use.
func (a *arena) close() {
	for _, b := range a.held {
		b.Release()
	}
	a.pool.Close()
}
