package model

import (
	"cmp"
	"math"
	"math/rand/v2"
	"time"

	"github.com/sluiceio/sluice/internal/ioengine"
)

// Scenario is a program on a machine with a device.
type Scenario struct {
	Processors int // GOMAXPROCS of the program
	Cores      int // of the machine; 0: as many as Processors
	Device     Device
	Program    Program
	Costs      Costs
	Rings      int // fixed rings of the device; 0: as package ioengine decides
}

// Result is the result of a Side.
type Result struct {
	Rate      float64       // operations a second
	Processor time.Duration // processor time of an operation, kernel and program
	Plain     float64       // the part of the operations that were plain calls
	Rings     int           // at the end
}

// Run makes one side perform a program. It returns the results from warm until end.
func (s Scenario) Run(side Side, warm, end time.Duration) Result {
	m := newMachine(s)
	r := &program{m: m, side: side, work: s.Program.Work, computing: s.Program.Computing}
	if s.Device.Latency > 0 {
		r.d = newDevice(&m.cores, s.Device, m.r)
	}
	r.budgets.Init(0, func() int { return s.Processors })
	r.budget.Init(&r.budgets)
	signal := &r.processors
	r.open = max(1, s.Rings)
	for range max(s.Rings, ioengine.MostRings(s.Processors)) {
		r.rings = append(r.rings, newRing(m, r.d, signal))
		if s.Rings == 0 {
			r.rings[len(r.rings)-1].found = r.judge
		}
	}
	r.first = s.Program.First
	for i := range r.first {
		m.global.push(&r.newUser(i, 200).goroutine)
	}
	for i := range s.Program.Goroutines {
		r.others = append(r.others, r.newUser(i, -1))
	}
	if r.first == 0 {
		for _, u := range r.others {
			m.global.push(&u.goroutine)
		}
	}
	for range s.Program.Computing {
		m.global.push(r.compute())
	}
	for _, p := range m.procs {
		m.startThread(p, false)
	}
	m.monitor()
	m.play(warm)
	ops, plains, used := r.ops, r.plains, m.used
	m.play(end)
	ops, plains, used = r.ops-ops, r.plains-plains, m.used-used
	n := max(ops, 1)
	return Result{
		Rate: float64(ops) / (end - warm).Seconds(), Processor: used / time.Duration(n),
		Plain: float64(plains) / float64(n), Rings: r.open,
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
