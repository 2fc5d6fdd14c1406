package handle

import (
	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/sched"
)

// bounceMemory is the most memory for transfers of direct files that are not aligned,
// which take up to 1 MiB each while they last. It is less where the process has little.
const bounceMemory = 64 << 20 // 64 MiB

// Memory is the memory of a Scheduler.
type Memory struct {
	// Buffers is what users hold, for as long as they like.
	Buffers *buffer.Pool
	// Bounces is held during a call, never by a user, and never two at once by one call.
	// So a call that waits for a bounce buffer waits for the disk alone.
	Bounces *buffer.Pool
}

func newMemory(core *sched.Scheduler, limit int64) Memory {
	return Memory{
		Buffers: buffer.NewPool(buffer.Options{Limit: limit, Setting: " (sluice.Options.BufferMemory)", Registrar: core}),
		Bounces: buffer.NewPool(buffer.Options{Limit: bounceMemory, Modest: true}),
	}
}

// freeMemory gives back all memory that is not in use. No operation is in flight.
func (m Memory) freeMemory() {
	m.Buffers.Close()
	m.Bounces.Close()
}
