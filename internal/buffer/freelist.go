package buffer

import "context"

// FreeList is memory of a Pool that a stream keeps while it does not use it: Buffers of one
// size. One goroutine at a time may use a FreeList.
type FreeList struct {
	pool *Pool
	size int
	free []Buffer
}

// NewFreeList returns an empty FreeList of pool, for at most that many Buffers, each of
// size bytes.
func NewFreeList(pool *Pool, size, most int) FreeList {
	return FreeList{pool: pool, size: size, free: make([]Buffer, 0, most)}
}

// Size returns the size of each Buffer, in bytes.
func (l *FreeList) Size() int { return l.size }

// TryReserve makes sure that there is a Buffer to take, if it can without waiting. It
// reports whether there is one.
func (l *FreeList) TryReserve() bool {
	if len(l.free) > 0 {
		return true
	}
	if !l.pool.Ample(l.size) {
		return false
	}
	b, ok := l.pool.TryGet(l.size)
	if ok {
		l.Put(b)
	}
	return ok
}

// Reserve makes sure that there is a Buffer to take, and waits for one if need be. A
// stream that waits has no other Buffer, as other streams may be waiting for that.
func (l *FreeList) Reserve(ctx context.Context) error {
	if len(l.free) > 0 {
		return nil
	}
	b, err := l.pool.Get(ctx, l.size)
	if err == nil {
		l.Put(b)
	}
	return err
}

// Take returns a Buffer that was reserved.
func (l *FreeList) Take() Buffer {
	last := len(l.free) - 1
	b := l.free[last]
	l.free = l.free[:last]
	return b
}

// Put keeps b to be used again.
func (l *FreeList) Put(b Buffer) { l.free = append(l.free, b) }

// Release gives all Buffers back to the pool.
func (l *FreeList) Release() {
	for _, b := range l.free {
		b.Release()
	}
	l.free = l.free[:0]
}
