package buffer

import "context"

// maxRun is the most bytes of one request for several neighbouring buffers of a stream. The number
// of requests limits a device with small transfers. Measured: docs/results/direct.md.
const maxRun = 128 << 10 // 128 KiB

// extraMemory is how many bytes a stream may take beyond the sum of its buffers: the pool rounds
// each run up.
const extraMemory = 4 << 20 // 4 MiB

// Layout is the division of a stream's memory. Run is a multiple of Buffer.
type Layout struct {
	Buffer int // bytes of a buffer, as the user knows it
	Run    int // bytes of one transfer: one buffer or several
	Runs   int // how many runs the stream has
}

// Divide divides count buffers of size bytes into runs, as many as p can give. Two buffers or more
// make at least two runs, so that one can be transferred while the other is used. A run has as many
// buffers as fit into its block. For example, half of ten buffers of 4 KiB needs a block of 32 KiB,
// so a run has eight.
func (p *Pool) Divide(size, count int) Layout {
	k := max(1, min(maxRun/size, count/2))
	block := BlockSize(k * size)
	most := min(int64(size)*int64(count)+extraMemory, p.Limit()) / int64(block)
	return Layout{Buffer: size, Run: block / size * size, Runs: int(max(1, min(int64(count/k), most)))}
}

// Source gives a stream its Buffers, all of Size bytes.
type Source struct {
	Pool *Pool
	Size int
}

// TryGet returns a Buffer if there is one without a wait, and if the pool has enough left for other
// users.
func (s Source) TryGet() (Buffer, bool) {
	if !s.Pool.Ample(s.Size) {
		return Buffer{}, false
	}
	return s.Pool.TryGet(s.Size)
}

// Get returns a Buffer, and waits for one if need be. A stream that waits holds no other Buffer:
// other streams may wait for it.
func (s Source) Get(ctx context.Context) (Buffer, error) { return s.Pool.Get(ctx, s.Size) }
