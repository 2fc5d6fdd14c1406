package model

import (
	"math/rand/v2"
	"time"
)

type goroutine struct {
	resume func(*proc) // called when the goroutine runs again

	// These fields are for an operation in a ring.
	parked bool         // the goroutine waits
	ended  bool         // the operation has ended
	chain  []*goroutine // those after it in its chain; nil if it is in none
}

// proc is a processor of the Go runtime (P).
type proc struct {
	holder  *goroutine // in a system call that keeps the processor, or nil
	next    *goroutine // made ready last: it runs next, within the same time slice
	queue   []*goroutine
	owes    time.Duration // processor time that is added to its next burst
	slices  int           // time slices that have begun
	preempt bool          // the goroutine must leave the processor

	// Of the monitor.
	slice time.Duration // when it first saw this time slice; 0: it has not yet
	call  time.Duration // when it first saw a system call
	seen  bool          // it has seen the present system call
}

// machine is a machine, with the Go runtime of a program on it (runtime/proc.go of Go 1.26).
type machine struct {
	cores
	costs    Costs
	r        *rand.Rand
	procs    []proc
	idle     []*proc // the last one is the one that became idle last
	spinning int     // threads that look for goroutines
	global   []*goroutine

	monitorIdle int // times in a row that the monitor had nothing to do
}

const (
	timeSlice = 10 * time.Millisecond
	// The monitor (sysmon) sleeps from 20 µs to 10 ms, twice as long each time after it had nothing
	// to do 50 times.
	monitorLeast, monitorMost, monitorPatience = 20 * time.Microsecond, 10 * time.Millisecond, 50
	// A processor looks into the global queue first once in so many time slices.
	globalTurn = 61
)

// run makes the goroutine on p work for takes.
func (m *machine) run(p *proc, takes time.Duration, then func()) {
	takes += p.owes
	p.owes = 0
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
		m.startThread(m.takeIdle(), true)
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

// takeIdle takes the processor that became idle last. There must be one.
func (m *machine) takeIdle() *proc {
	last := len(m.idle) - 1
	p := m.idle[last]
	m.idle = m.idle[:last]
	return p
}

// schedule runs the next goroutine on p, or makes p look for one.
func (m *machine) schedule(p *proc) {
	switch g := m.pick(p); {
	case g != nil:
		m.begin(p, g)
	case 2*m.spinning < len(m.procs)-len(m.idle):
		m.spinning++
		m.search(p, false)
	default:
		m.release(p)
	}
}

// begin runs g on p.
func (m *machine) begin(p *proc, g *goroutine) {
	p.owes += m.costs.Switch
	g.resume(p)
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
		m.begin(p, g)
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

// release makes p idle. Its thread sleeps; costs.Block of p's next begin includes that.
func (m *machine) release(p *proc) {
	p.owes = 0
	m.idle = append(m.idle, p)
}

// yield makes g, which runs on p, run again after the other goroutines.
func (m *machine) yield(p *proc, g *goroutine) {
	m.global = append(m.global, g)
	m.wakeProc(p)
	m.schedule(p)
}

// enter makes g, which runs on p, wait in a system call. It keeps p until the monitor takes p.
func (m *machine) enter(p *proc, g *goroutine) { p.holder, p.seen = g, false }

// exit ends g's wait in a system call, which it began on p. Its thread wakes up, and needs a
// processor.
func (m *machine) exit(p *proc, g *goroutine) {
	m.cores.run(m.costs.Block+m.costs.Interrupt, func() {
		if p.holder == g {
			p.holder = nil
			g.resume(p)
		} else if len(m.idle) > 0 {
			q := m.takeIdle()
			q.preempt, q.slices, q.slice = false, q.slices+1, 0
			m.begin(q, g)
		} else {
			m.global = append(m.global, g)
		}
	})
}

// monitor is sysmon: it takes processors from threads that wait, and ends time slices.
func (m *machine) monitor() {
	m.monitorIdle++
	for i := range m.procs {
		p := &m.procs[i]
		if p.slice == 0 {
			p.slice = m.now
		}
		over := m.now-p.slice >= timeSlice
		local := p.next != nil || len(p.queue) > 0 // goroutines that need p
		help := m.spinning+len(m.idle) > 0         // other processors can run more goroutines
		switch {
		case p.holder == nil:
			p.preempt = p.preempt || over
		case !over && !p.seen:
			p.seen, p.call = true, m.now
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
