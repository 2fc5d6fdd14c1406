package handle

import (
	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/sched"
)

// bounceMemory is the memory for unaligned transfers of direct files, of up to 1 MiB each. It is
// less if the process has little memory. Beyond it, each class on each device may have one more
// buffer.
const bounceMemory = 64 << 20 // 64 MiB

// Memory is the memory of a Scheduler.
type Memory struct {
	// Buffers are held by users, for any time.
	Buffers *buffer.Pool
	// Bounces are held during a call, never by a user, and never two at once by one call. A call
	// keeps its bounce buffer while it waits for its class's limits, or for a device that does not
	// answer. So each class on each device has a quota: a call that waits for a bounce buffer waits
	// only for calls of the same class to the same device.
	Bounces *buffer.Quotas[BounceUser]
}

// BounceUser is the class of a call and the device of its file.
type BounceUser struct {
	Device uint64
	Class  *sched.Class
}

func newMemory(core *sched.Scheduler, limit int64) Memory {
	return Memory{
		Buffers: buffer.NewPool(buffer.Options{Limit: limit, Setting: " (sluice.Options.BufferMemory)", Registrar: core.Rings()}),
		Bounces: buffer.NewQuotas[BounceUser](buffer.Options{Limit: bounceMemory, Modest: true}),
	}
}

// freeMemory frees all unused memory. No operation is in flight.
func (m Memory) freeMemory() {
	m.Buffers.Close()
	m.Bounces.Close()
}
