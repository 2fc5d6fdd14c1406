package model

import (
	"cmp"
	"math"
	"math/rand/v2"
	"time"

	"github.com/sluiceio/sluice/internal/pressure"
)

// Scenario is a program on a machine with a device.
type Scenario struct {
	Processors int // of the program: GOMAXPROCS
	Cores      int // of the machine; 0: as many as Processors
	Device     Device
	Program    Program
	Costs      Costs
	Rings      int // of the device, at the begin; 0 is 1
	// Grow decides now and then how many rings the device has from now on. If it is nil, that stays
	// as it is. It is the place of the function that package ioengine has for that.
	Grow func(Leading) int
}

// Leading is what Grow has to know of a device's rings.
type Leading struct {
	Rings      int
	Processors int
	Waited     float64 // part of the time that their leaders have waited, in the mean
	Backlog    int     // operations for which the rings have no room
}

// growEvery is the time between two calls of Grow.
const growEvery = time.Millisecond

// Result is what a Side did.
type Result struct {
	Rate      float64       // operations a second
	Processor time.Duration // processor time of an operation, kernel and program
	Plain     float64       // part of the operations that were plain calls
	Rings     int           // at the end
}

// Run has one side perform a program, and returns what it does after warm, until end.
func (s Scenario) Run(side Side, warm, end time.Duration) Result {
	m := newMachine(s)
	r := &program{m: m, side: side, work: s.Program.Work}
	if s.Device.Latency > 0 {
		r.d = newDevice(&m.cores, s.Device, m.r)
	}
	r.budgets.Init(0, func() int { return s.Processors })
	r.budget.Init(&r.budgets)
	signal := new(pressure.Signal)
	for range max(1, s.Rings) {
		r.rings = append(r.rings, newRing(m, r.d, signal))
	}
	for i := range s.Program.Goroutines {
		u := &user{program: r, number: i}
		u.resume = u.loop
		m.global.push(&u.goroutine)
	}
	for range s.Program.Computing {
		m.global.push(r.compute())
	}
	for _, p := range m.procs {
		m.startThread(p, false)
	}
	m.monitor()
	if s.Grow != nil {
		m.after(growEvery, func() { r.grow(s.Grow, signal) })
	}
	m.play(warm)
	ops, plains, used := r.ops, r.plains, m.used
	m.play(end)
	ops, plains, used = r.ops-ops, r.plains-plains, m.used-used
	n := max(ops, 1)
	return Result{
		Rate: float64(ops) / (end - warm).Seconds(), Processor: used / time.Duration(n),
		Plain: float64(plains) / float64(n), Rings: len(r.rings),
	}
}

func newMachine(s Scenario) *machine {
	bounce := time.Duration(float64(s.Costs.Bounce) * math.Log2(max(1, float64(s.Processors)/2)))
	s.Costs.Push += bounce
	s.Costs.Entry += bounce
	s.Costs.Spin += time.Duration(s.Processors) * s.Costs.Look
	m := &machine{
		costs: s.Costs, monitorDelay: monitorLeast,
		r: rand.New(rand.NewPCG(1, 2)), procs: make([]*proc, s.Processors),
	}
	m.free = cmp.Or(s.Cores, s.Processors)
	for i := range m.procs {
		m.procs[i] = new(proc)
	}
	return m
}

// grow asks f how many rings the device is to have, again and again.
func (r *program) grow(f func(Leading) int, signal *pressure.Signal) {
	l := Leading{Rings: len(r.rings), Processors: len(r.m.procs)}
	for _, ring := range r.rings {
		l.Waited += float64(ring.waited) / float64(growEvery) / float64(len(r.rings))
		l.Backlog += ring.inbox.len()
		ring.waited = 0
	}
	for n := f(l); len(r.rings) < n; {
		r.rings = append(r.rings, newRing(r.m, r.d, signal))
	}
	r.m.after(growEvery, func() { r.grow(f, signal) })
}
