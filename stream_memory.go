package sluice

import (
	"context"

	"github.com/sluiceio/sluice/internal/buffer"
)

// spares is the memory of a stream that waits to be used: Buffers of one size,
// out of the Scheduler's pool.
type spares struct {
	pool *buffer.Pool
	size int
	free []buffer.Buffer
}

// newSpares returns the memory of a stream of d, which has at most so many
// Buffers, each of size bytes.
func newSpares(d *DirectFile, size, most int) spares {
	return spares{pool: d.file.sched.pools.buffers, size: size, free: make([]buffer.Buffer, 0, most)}
}

// provide sees to it that there is a Buffer to take, if it can be had without
// waiting.
func (m *spares) provide() bool {
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

// await sees to it that there is a Buffer to take. Who waits has no other, as
// others may be waiting for that.
func (m *spares) await(ctx context.Context) error {
	if len(m.free) > 0 {
		return nil
	}
	b, err := m.pool.Get(ctx, m.size)
	if err == nil {
		m.put(b)
	}
	return err
}

// take returns a Buffer that has been provided.
func (m *spares) take() buffer.Buffer {
	last := len(m.free) - 1
	b := m.free[last]
	m.free = m.free[:last]
	return b
}

// put keeps a Buffer to be used again.
func (m *spares) put(b buffer.Buffer) { m.free = append(m.free, b) }

// release gives all back to the pool.
func (m *spares) release() {
	for _, b := range m.free {
		b.Release()
	}
	m.free = m.free[:0]
}
