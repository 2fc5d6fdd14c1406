package content

import "context"

// buffers are a bounded number of buffers of one size, made when needed.
type buffers struct {
	size int
	free chan []byte   // those that nobody has
	left chan struct{} // a value for each that is not made yet
}

// newBuffers returns as many of size bytes as memory holds, at least two.
func newBuffers(size int, memory int64) *buffers {
	n := max(2, memory/int64(size))
	p := &buffers{size: size, free: make(chan []byte, n), left: make(chan struct{}, n)}
	for range n {
		p.left <- struct{}{}
	}
	return p
}

// try returns a buffer that is free; nil if there is none.
func (p *buffers) try() []byte {
	select {
	case b := <-p.free:
		return b
	default:
	}
	select {
	case <-p.left:
		return make([]byte, p.size)
	default:
		return nil
	}
}

// get returns a buffer, and waits for one if need be, or until ctx ends.
func (p *buffers) get(ctx context.Context) ([]byte, error) {
	if b := p.try(); b != nil {
		return b, nil
	}
	select {
	case b := <-p.free:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put gives b back.
func (p *buffers) put(b []byte) { p.free <- b }
