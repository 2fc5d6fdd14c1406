package content

import "context"

// buffers is a bounded number of buffers of one size, made on demand.
type buffers struct {
	size int
	free chan []byte   // made and not in use
	left chan struct{} // a value for each buffer that is not made yet
}

// newBuffers returns as many buffers of size bytes as fit into memory bytes, at least two.
func newBuffers(size int, memory int64) *buffers {
	n := max(2, memory/int64(size))
	b := &buffers{size: size, free: make(chan []byte, n), left: make(chan struct{}, n)}
	for range n {
		b.left <- struct{}{}
	}
	return b
}

// try returns a buffer, or nil if all are in use.
func (b *buffers) try() []byte {
	select {
	case buf := <-b.free:
		return buf
	default:
	}
	select {
	case <-b.left:
		return make([]byte, b.size)
	default:
		return nil
	}
}

// get returns a buffer. If all are in use, it waits for one, or until ctx ends.
func (b *buffers) get(ctx context.Context) ([]byte, error) {
	if buf := b.try(); buf != nil {
		return buf, nil
	}
	select {
	case buf := <-b.free:
		return buf, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put takes back a buffer.
func (b *buffers) put(buf []byte) { b.free <- buf }
