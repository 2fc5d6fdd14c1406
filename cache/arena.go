package cache

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/buffer"
)

// arena is the memory for blocks, obtained chunk by chunk as it is needed.
type arena struct {
	block, perChunk int
	pool            *buffer.Pool

	mu    sync.Mutex
	used  int // blocks that have been given out, ever
	total int
	held  []buffer.Buffer
	// chunks are written under mu, each before a block of it is given out.
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

// next gives out a block that nobody had; false if the system has no memory.
func (a *arena) next() (at uint32, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.used / a.perChunk
	if a.chunks[i] == nil {
		n := min(a.perChunk, a.total-a.used) * a.block
		b, err := a.pool.Get(context.Background(), n) // never waits: nobody else has any
		if err != nil {
			return 0, false
		}
		a.held = append(a.held, b)
		a.chunks[i] = b.Bytes()
	}
	a.used++
	return uint32(a.used - 1), true
}

// memory is that of a block that next has given out.
func (a *arena) memory(at uint32) []byte {
	lo := int(at) % a.perChunk * a.block
	return a.chunks[int(at)/a.perChunk][lo : lo+a.block : lo+a.block]
}

// close gives all memory back. No block is in use.
func (a *arena) close() {
	for _, b := range a.held {
		b.Release()
	}
	a.pool.Close()
}
