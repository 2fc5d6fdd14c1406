package model

import (
	"math/rand/v2"
	"time"
)

type goroutine struct {
	resume func(*proc) // called when the goroutine runs again

	// These fields are for an operation in a ring.
	parked bool       // the goroutine waits
	ended  bool       // the operation has ended
	next   *goroutine // the next one in its chain
	last   bool       // the last one in its chain
}

// proc is a processor of the Go runtime (P).
type proc struct {
	state  procState
	holder *goroutine // in a system call that keeps the processor, or nil
	next   *goroutine // made ready last: it runs next, within the same time slice
	queue  queue[*goroutine]
	owes   time.Duration // processor time that is added to its next burst

	preempt bool  // the goroutine must leave the processor
	slices  count // time slices
	calls   count // system calls, begun and ended
}

// count counts something. It also has the monitor's last look at it.
type count struct {
	n, seen int
	since   time.Duration // when the monitor first saw this number
}

// same reports whether the monitor has seen the same number before.
func (c *count) same(now time.Duration) bool {
	if c.seen == c.n {
		return true
	}
	c.seen, c.since = c.n, now
	return false
}

type procState uint8

const (
	idle procState = iota
	running
	inCall   // its thread is in a system call
	spinning // its thread looks for goroutines
)

// machine is a machine, with the Go runtime of a program on it (runtime/proc.go of Go 1.26).
type machine struct {
	cores
	costs    Costs
	r        *rand.Rand
	procs    []*proc
	idle     []*proc // the last one is the one that became idle last
	spinning int
	global   queue[*goroutine]

	monitorIdle  int // times in a row that the monitor had nothing to do
	monitorDelay time.Duration
}

const (
	timeSlice = 10 * time.Millisecond
	// The monitor (sysmon) sleeps from 20 µs to 10 ms.
	monitorLeast, monitorMost = 20 * time.Microsecond, 10 * time.Millisecond
	// A processor looks into the global queue first once in so many time slices.
	globalTurn = 61
)

// run makes the goroutine on p work for takes.
func (m *machine) run(p *proc, takes time.Duration, then func()) {
	takes += p.owes
	p.owes = 0
	m.cores.run(usual, takes, then)
}

// ready makes g ready, from a goroutine on p.
func (m *machine) ready(p *proc, g *goroutine) {
	p.owes += m.costs.Ready
	if p.next != nil {
		p.queue.push(p.next)
	}
	p.next = g
	m.wakeProc(p)
}

// wakeProc makes another processor look for goroutines, if one is idle and none is looking. A
// goroutine on p pays for it.
func (m *machine) wakeProc(p *proc) {
	if m.spinning > 0 || len(m.idle) == 0 {
		return
	}
	p.owes += m.costs.Wake
	m.startThread(m.takeIdle(nil), true)
}

// startThread wakes a thread for p. With spin it looks for goroutines elsewhere.
func (m *machine) startThread(p *proc, spin bool) {
	p.state = running
	if spin {
		p.state = spinning
		m.spinning++
	}
	p.owes += m.costs.Block
	m.after(m.costs.Awake, func() {
		if spin {
			m.search(p)
			return
		}
		m.schedule(p)
	})
}

// takeIdle takes an idle processor, the preferred one if possible, or returns nil.
func (m *machine) takeIdle(preferred *proc) *proc {
	last := len(m.idle) - 1
	if last < 0 {
		return nil
	}
	p := m.idle[last]
	if preferred != nil && preferred.state == idle {
		for i, q := range m.idle {
			if q == preferred {
				m.idle[i], p = p, q
				break
			}
		}
	}
	m.idle = m.idle[:last]
	return p
}

// schedule runs the next goroutine on p, or makes p look for one.
func (m *machine) schedule(p *proc) {
	p.state, p.holder = running, nil
	if g := m.pick(p); g != nil {
		m.begin(p, g)
		return
	}
	if 2*m.spinning < len(m.procs)-len(m.idle) {
		p.state = spinning
		m.spinning++
		m.search(p)
		return
	}
	m.release(p)
}

// begin runs g on p.
func (m *machine) begin(p *proc, g *goroutine) {
	p.owes += m.costs.Switch
	g.resume(p)
}

// pick takes p's next goroutine from its queue or the global queue.
func (m *machine) pick(p *proc) (g *goroutine) {
	p.preempt = false
	fair := p.slices.n%globalTurn == 0 && m.global.len() > 0
	if g = p.next; g != nil && !fair {
		p.next = nil
		return g // within the time slice
	}
	p.slices.n++
	switch {
	case fair:
		return m.global.pop()
	case p.queue.len() > 0:
		return p.queue.pop()
	case m.global.len() > 0:
		g = m.global.pop()
		for range min(m.global.len(), m.global.len()/len(m.procs), 127) {
			p.queue.push(m.global.pop())
		}
		return g
	}
	return nil
}

// search makes p look for goroutines for a while. Then p runs one or becomes idle.
func (m *machine) search(p *proc) {
	if m.found(p) {
		return
	}
	m.run(p, m.costs.Spin, func() {
		if !m.found(p) {
			m.spinning--
			m.release(p)
		}
	})
}

// found makes p, which spins, run a goroutine if there is one, and reports whether there is.
func (m *machine) found(p *proc) bool {
	g := m.pick(p)
	if g == nil {
		g = m.steal(p)
	}
	if g == nil {
		return false
	}
	m.spinning--
	p.state = running
	m.wakeProc(p)
	m.begin(p, g)
	return true
}

// steal takes half of the goroutines of another processor, and returns one of them.
func (m *machine) steal(p *proc) *goroutine {
	first := m.r.IntN(len(m.procs))
	for i := range m.procs {
		from := m.procs[(first+i)%len(m.procs)]
		if from.queue.len() == 0 {
			continue
		}
		g := from.queue.pop()
		for range from.queue.len() / 2 {
			p.queue.push(from.queue.pop())
		}
		return g
	}
	for i := range m.procs {
		if from := m.procs[(first+i)%len(m.procs)]; from.next != nil {
			g := from.next
			from.next = nil
			return g
		}
	}
	return nil
}

// release makes p idle. Its thread sleeps; costs.Block of p's next begin includes that.
func (m *machine) release(p *proc) {
	p.state, p.owes = idle, 0
	m.idle = append(m.idle, p)
}

// yield makes g, which runs on p, run again after the other goroutines.
func (m *machine) yield(p *proc, g *goroutine) {
	m.global.push(g)
	m.wakeProc(p)
	m.schedule(p)
}

// enter makes g, which runs on p, wait in a system call. It keeps p until the monitor takes p.
func (m *machine) enter(p *proc, g *goroutine) {
	p.state, p.holder = inCall, g
	p.calls.n++
}

// exit ends g's wait in a system call, which it began on p. Its thread wakes up, which takes takes,
// and needs a processor.
func (m *machine) exit(p *proc, g *goroutine, takes time.Duration) {
	m.cores.run(woken, takes, func() { m.exited(p, g) })
}

func (m *machine) exited(p *proc, g *goroutine) {
	if p.holder == g {
		p.state, p.holder = running, nil
		p.calls.n++
		g.resume(p)
		return
	}
	if q := m.takeIdle(p); q != nil {
		q.state, q.preempt = running, false
		q.slices.n++
		q.calls.n++
		m.begin(q, g)
		return
	}
	m.global.push(g)
}

// monitor is sysmon: it takes processors from threads that wait, and ends time slices.
func (m *machine) monitor() {
	taken := false
	for _, p := range m.procs {
		over := p.slices.same(m.now) && m.now-p.slices.since >= timeSlice
		switch {
		case p.state == running && over:
			p.preempt = true
		case p.state != inCall:
		case !over && !p.calls.same(m.now):
		case p.next == nil && p.queue.len() == 0 && m.spinning+len(m.idle) > 0 &&
			m.now-p.calls.since < timeSlice: // no goroutine needs the processor
		default:
			taken = true
			m.handOff(p)
		}
	}
	m.used += m.costs.Block
	if m.monitorIdle++; taken {
		m.monitorIdle = 0
	}
	switch {
	case m.monitorIdle == 0:
		m.monitorDelay = monitorLeast
	case m.monitorIdle > 50:
		m.monitorDelay = min(2*m.monitorDelay, monitorMost)
	}
	m.after(m.monitorDelay+m.costs.Slack, m.monitor)
}

// handOff takes p from its thread. If there are goroutines to run, another thread gets p.
func (m *machine) handOff(p *proc) {
	p.holder = nil
	p.calls.n++
	switch {
	case p.next != nil || p.queue.len() > 0 || m.global.len() > 0:
		m.used += m.costs.Wake
		m.startThread(p, false)
	case m.spinning+len(m.idle) == 0:
		m.used += m.costs.Wake
		m.startThread(p, true)
	default:
		p.state = idle
		m.idle = append(m.idle, p)
	}
}
