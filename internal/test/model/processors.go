package model

import (
	"cmp"
	"slices"
	"time"
)

type goroutine struct {
	resume func(*proc)  // called when the goroutine runs again
	parked bool         // it waits for an operation in a ring
	ended  bool         // that operation has ended
	relay  []*goroutine // those after it in its relay; nil if it is in none
}

// proc is a processor of the Go runtime (P).
type proc struct {
	holder  *goroutine // in a system call that keeps the processor, or nil
	next    *goroutine // made ready last: it runs next, within the same time slice
	queue   []*goroutine
	owes    time.Duration // processor time that is added to its next burst
	slices  int           // time slices that have begun
	preempt bool          // the goroutine must leave the processor
	slice   time.Duration // when the monitor first saw this time slice; 0: it has not yet
	call    time.Duration // when the monitor first saw this system call; 0: it has not yet
}

// machine is a machine, with the Go runtime of a program on it (runtime/proc.go of Go 1.26).
type machine struct {
	cores
	costs       Costs
	procs       []proc
	idle        []*proc // the first one became idle last
	spinning    int     // threads that look for goroutines
	global      []*goroutine
	monitorIdle int // times in a row that the monitor had nothing to do
}

const (
	timeSlice  = 10 * time.Millisecond
	globalTurn = 61 // once in so many time slices, a processor looks into the global queue first
	// The monitor (sysmon) sleeps from 20 µs to 10 ms, twice as long each time after it had nothing
	// to do 50 times.
	monitorLeast, monitorMost, monitorPatience = 20 * time.Microsecond, 10 * time.Millisecond, 50
)

// run makes the goroutine on p work for takes.
func (m *machine) run(p *proc, takes time.Duration, then func()) {
	takes, p.owes = takes+p.owes, 0
	m.cores.run(takes, then)
}

// ready makes g ready, from a goroutine on p.
func (m *machine) ready(p *proc, g *goroutine) {
	p.owes += m.costs.Ready
	if p.next != nil {
		p.queue = append(p.queue, p.next)
	}
	p.next = g
	m.wakeProc(p)
}

// wakeProc makes another processor look for goroutines, if one is idle and none is looking. A
// goroutine on p pays for it.
func (m *machine) wakeProc(p *proc) {
	if m.spinning == 0 && len(m.idle) > 0 {
		p.owes += m.costs.Wake
		m.startThread(pop(&m.idle), true)
	}
}

// startThread wakes a thread for p. With spin it looks for goroutines elsewhere.
func (m *machine) startThread(p *proc, spin bool) {
	p.owes += m.costs.Block
	if !spin {
		m.after(m.costs.Awake, func() { m.schedule(p) })
		return
	}
	m.spinning++
	m.after(m.costs.Awake, func() { m.search(p, false) })
}

// schedule runs the next goroutine on p, or makes p look for one.
func (m *machine) schedule(p *proc) {
	switch g := m.pick(p); {
	case g != nil:
		p.owes += m.costs.Switch
		g.resume(p)
	case 2*m.spinning < len(m.procs)-len(m.idle):
		m.spinning++
		m.search(p, false)
	default:
		m.release(p)
	}
}

// pick takes p's next goroutine from its queue or the global queue.
func (m *machine) pick(p *proc) (g *goroutine) {
	p.preempt = false
	fair := p.slices%globalTurn == 0 && len(m.global) > 0
	if g = p.next; g != nil && !fair {
		p.next = nil
		return g // within the time slice
	}
	p.slices, p.slice = p.slices+1, 0
	switch {
	case fair:
		return pop(&m.global)
	case len(p.queue) > 0:
		return pop(&p.queue)
	case len(m.global) > 0:
		g = pop(&m.global)
		for range min(len(m.global)/len(m.procs), 127) {
			p.queue = append(p.queue, pop(&m.global))
		}
		return g
	}
	return nil
}

// search makes p, which spins, look for goroutines for a while. Then p runs one or becomes idle.
func (m *machine) search(p *proc, last bool) {
	g := m.pick(p)
	if g == nil {
		g = m.steal(p)
	}
	switch {
	case g != nil:
		m.spinning--
		m.wakeProc(p)
		p.owes += m.costs.Switch
		g.resume(p)
	case !last:
		m.run(p, m.costs.Spin, func() { m.search(p, true) })
	default:
		m.spinning--
		m.release(p)
	}
}

// steal takes half of the goroutines of another processor, and returns one of them. If none has
// one in its queue, it takes the next one of a processor.
func (m *machine) steal(p *proc) (g *goroutine) {
	first, n := m.r.IntN(len(m.procs)), len(m.procs)
	for i := range 2 * n {
		from := &m.procs[(first+i)%n]
		switch {
		case len(from.queue) > 0:
			g = pop(&from.queue)
			for range len(from.queue) / 2 {
				p.queue = append(p.queue, pop(&from.queue))
			}
			return g
		case i >= n && from.next != nil:
			g, from.next = from.next, nil
			return g
		}
	}
	return nil
}

// release makes p idle. Its thread sleeps: a part of costs.Block, when p is started again.
func (m *machine) release(p *proc) {
	p.owes = 0
	m.idle = slices.Insert(m.idle, 0, p)
}

// yield makes g, which runs on p, go on with then after the other goroutines.
func (m *machine) yield(p *proc, g *goroutine, then func(*proc)) {
	g.resume = then
	m.global = append(m.global, g)
	m.wakeProc(p)
	m.schedule(p)
}

// enter makes g, which runs on p, wait in a system call, and go on with then. It keeps p until the
// monitor takes p.
func (m *machine) enter(p *proc, g *goroutine, then func(*proc)) {
	p.holder, p.call, g.resume = g, 0, then
}

// exit ends g's wait in a system call, which it began on p. Its thread wakes up, and needs a
// processor.
func (m *machine) exit(p *proc, g *goroutine) {
	m.cores.run(m.costs.Block+m.costs.Interrupt, func() {
		if p.holder == g {
			p.holder = nil
			g.resume(p)
			return
		}
		m.global = append(m.global, g)
		if len(m.idle) > 0 {
			m.schedule(pop(&m.idle))
		}
	})
}

// monitor is sysmon: it takes processors from threads that wait, and ends time slices.
func (m *machine) monitor() {
	m.monitorIdle++
	for i := range m.procs {
		p := &m.procs[i]
		p.slice = cmp.Or(p.slice, m.now)
		over := m.now-p.slice >= timeSlice
		local := p.next != nil || len(p.queue) > 0 // goroutines that need p
		help := m.spinning+len(m.idle) > 0         // other processors can run more goroutines
		switch {
		case p.holder == nil:
			p.preempt = p.preempt || over
		case !over && p.call == 0:
			p.call = m.now
		case !local && help && m.now-p.call < timeSlice:
		default: // p is taken; another thread gets it if it is needed
			m.monitorIdle, p.holder = 0, nil
			if work := local || len(m.global) > 0; work || !help {
				m.used += m.costs.Wake
				m.startThread(p, !work)
			} else {
				m.release(p)
			}
		}
	}
	m.used += m.costs.Block
	sleep := min(monitorLeast<<min(max(0, m.monitorIdle-monitorPatience), 10), monitorMost)
	m.after(sleep+m.costs.Slack, m.monitor)
}
