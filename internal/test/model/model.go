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
	Seed       uint64
}

// Result is the result of a Side.
type Result struct {
	Rate      float64       // operations a second
	Processor time.Duration // processor time of an operation, kernel and program
	Rings     int           // at the end
}

// Run makes one side perform a program. It returns the results from warm until end.
func (s Scenario) Run(side Side, warm, end time.Duration) Result {
	r := s.begin(side)
	r.play(warm)
	ops, used := r.ops, r.used
	r.play(end)
	ops, used = r.ops-ops, r.used-used
	n := max(ops, 1)
	return Result{
		Rate: float64(ops) / (end - warm).Seconds(), Processor: used / time.Duration(n), Rings: r.open,
	}
}

// begin starts a program.
func (s Scenario) begin(side Side) *program {
	bounce := time.Duration(float64(s.Costs.Bounce) * math.Log2(max(1, float64(s.Processors)/2)))
	s.Costs.Push += bounce
	s.Costs.Entry += bounce
	s.Costs.Spin += time.Duration(s.Processors) * s.Costs.Look
	if s.Device.Rate == 0 {
		s.Costs.Submit = s.Costs.Copy
	}
	r := &program{Program: s.Program, side: side, open: max(1, s.Rings)}
	r.costs, r.free, r.procs = s.Costs, cmp.Or(s.Cores, s.Processors), make([]proc, s.Processors)
	r.r = rand.New(rand.NewPCG(1, 2+s.Seed))
	k := max(0, s.Device.Rate*s.Device.Latency.Seconds()-1)
	r.d = device{c: &r.cores, r: r.r, rate: s.Device.Rate, k: k}
	r.budgets.Init(0, func() int { return s.Processors })
	r.budget.Init(&r.budgets)
	r.processors.Used = r.usedHere
	r.processors.Begin(0)
	for range cmp.Or(s.Rings, ioengine.MostRings(s.Processors)) {
		ring := &ring{program: r}
		ring.leader.resume = ring.lead
		r.rings = append(r.rings, ring)
	}
	r.users(0)
	for range s.Program.Computing {
		r.global = append(r.global, r.compute())
	}
	for i := range r.procs {
		r.startThread(&r.procs[i], false)
	}
	r.monitor()
	return r
}
