package sluice

import (
	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/sched"
)

// bounceMemory is the most memory for transfers of DirectFiles that are not
// aligned, which take up to 1 MiB each while they last. It is less where the
// process has little.
const bounceMemory = 64 << 20 // 64 MiB

// pools is the memory of a Scheduler.
type pools struct {
	// buffers is what users hold, for as long as they like.
	buffers *buffer.Pool
	// bounces is held during a call and never by a user, nor two at once by
	// one call: who waits for one waits for the disk alone.
	bounces *buffer.Pool
}

func newPools(core *sched.Scheduler, limit int64) pools {
	return pools{
		buffers: buffer.NewPool(buffer.Options{Limit: limit, Registrar: core}),
		bounces: buffer.NewPool(buffer.Options{Limit: buffer.Modest(bounceMemory)}),
	}
}

// close gives all memory back that nobody holds. No operation is in flight.
func (p pools) close() {
	p.buffers.Close()
	p.bounces.Close()
}
