package content

import "context"

// buffers is a bounded number of buffers of one size, made when needed.
type buffers struct {
	size int
	free chan []byte   // those that are made and not in use
	left chan struct{} // a value for each that was not made yet
}

// newBuffers returns buffers of size bytes each: as many as fit into memory bytes,
// and at least two.
func newBuffers(size int, memory int64) *buffers {
	n := max(2, memory/int64(size))
	p := &buffers{size: size, free: make(chan []byte, n), left: make(chan struct{}, n)}
	for range n {
		p.left <- struct{}{}
	}
	return p
}

// try returns a buffer, or nil if all are in use.
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

// get returns a buffer. It waits for one, or until ctx ends.
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

// put takes back a buffer.
func (p *buffers) put(b []byte) { p.free <- b }
