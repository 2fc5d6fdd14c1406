package pool

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// spawn starts a worker if the queue needs one. mu is held.
func (p *Pool) spawn() {
	if p.queue.Len() > 0 && !p.starting && p.workers < p.threads {
		p.starting = true
		p.workers++
		p.live.Add(1)
		go p.start()
	}
}

// work is a worker's goroutine: it performs operations until the queue is empty.
func (p *Pool) work() {
	defer p.live.Done()
	op := p.first()
	for op != nil {
		start := p.hook.Now()
		p.perform(op)
		p.record(start, op)
		op = p.exchange(op)
	}
}

// record records the system call that has performed op, if there was one.
func (p *Pool) record(start int64, op *driver.Op) {
	if start != 0 && op.Code < driver.NumCodes && syscalls[op.Code] != 0 {
		p.hook.Call(start, record.Call{Batch: 1, Res: op.Res, Syscall: syscalls[op.Code], Drv: record.DriverPool})
	}
}

// syscalls has the system calls that perform operations.
var syscalls = [driver.NumCodes]uint8{
	driver.Read:      record.SysPread,
	driver.Write:     record.SysPwrite,
	driver.Fsync:     record.SysFsync,
	driver.Fdatasync: record.SysFdatasync,
}

// first returns the first operation of a new worker; nil if other workers have
// emptied the queue.
func (p *Pool) first() *driver.Op {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting = false
	op := p.next()
	p.spawn()
	return op
}

// exchange returns a performed operation to the pool, and fetches the next; nil if
// there is none.
func (p *Pool) exchange(op *driver.Op) *driver.Op {
	p.mu.Lock()
	p.finish(op)
	next := p.next()
	p.mu.Unlock()
	if p.notify != nil {
		p.notify()
	}
	return next
}

// next takes an operation out of the queue. If there is none, the worker leaves the count of
// workers under mu, so a later Submit starts another one. mu is held.
func (p *Pool) next() *driver.Op {
	op := pop(&p.queue)
	if op == nil {
		p.workers--
	}
	return op
}

// finish makes op reapable. mu is held.
func (p *Pool) finish(op *driver.Op) {
	p.done.PushBack(&op.Links, op)
	if p.want > 0 && p.done.Len() >= p.want {
		p.want = 0 // Reap is signalled once
		p.reap.Signal()
	}
}
