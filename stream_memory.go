package sluice

import (
	"context"

	"github.com/sluiceio/sluice/internal/buffer"
)

// freeBuffers is the memory of a stream that is not in use: Buffers of one size, from
// the Scheduler's pool.
type freeBuffers struct {
	pool *buffer.Pool
	size int
	free []buffer.Buffer
}

// newFreeBuffers returns the memory of a stream of d, which has at most that many
// Buffers, each of size bytes.
func newFreeBuffers(d *DirectFile, size, most int) freeBuffers {
	return freeBuffers{pool: d.file.h.Sched.Buffers, size: size, free: make([]buffer.Buffer, 0, most)}
}

// tryReserve makes sure that there is a Buffer to take, if it can without waiting. It
// reports whether there is one.
func (m *freeBuffers) tryReserve() bool {
	if len(m.free) > 0 {
		return true
	}
	if !m.pool.Ample(m.size) {
		return false
	}
	b, ok := m.pool.TryGet(m.size)
	if ok {
		m.put(b)
	}
	return ok
}

// reserve makes sure that there is a Buffer to take, and waits for one if need be. A
// stream that waits has no other Buffer, as other streams may be waiting for that.
func (m *freeBuffers) reserve(ctx context.Context) error {
	if len(m.free) > 0 {
		return nil
	}
	b, err := m.pool.Get(ctx, m.size)
	if err == nil {
		m.put(b)
	}
	return err
}

// take returns a Buffer that was reserved.
func (m *freeBuffers) take() buffer.Buffer {
	last := len(m.free) - 1
	b := m.free[last]
	m.free = m.free[:last]
	return b
}

// put keeps b to be used again.
func (m *freeBuffers) put(b buffer.Buffer) { m.free = append(m.free, b) }

// release gives all Buffers back to the pool.
func (m *freeBuffers) release() {
	for _, b := range m.free {
		b.Release()
	}
	m.free = m.free[:0]
}
