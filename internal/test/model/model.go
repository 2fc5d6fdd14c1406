package model

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
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
	return Result{float64(ops) / (end - warm).Seconds(), used / time.Duration(max(ops, 1)), r.open}
}

// begin starts a program.
func (s Scenario) begin(side Side) *program {
	bounce := time.Duration(float64(s.Costs.Bounce) * math.Log2(max(1, float64(s.Processors)/2)))
	s.Costs.Push, s.Costs.Entry = s.Costs.Push+bounce, s.Costs.Entry+bounce
	s.Costs.Spin += time.Duration(s.Processors) * s.Costs.Look
	if s.Program.Computing >= s.Processors {
		s.Costs.Slack = s.Costs.Late
	}
	r := &program{Program: s.Program, side: side, open: max(1, s.Rings)}
	r.costs, r.free, r.procs = s.Costs, cmp.Or(s.Cores, s.Processors), make([]proc, s.Processors)
	r.r = rand.New(rand.NewPCG(1, 2+s.Seed))
	r.d = device{cores: &r.cores, rate: s.Device.Rate, k: max(0, s.Device.Rate*s.Device.Latency.Seconds()-1)}
	r.budgets.Init(0, func() int { return s.Processors })
	r.budget.Init(&r.budgets)
	// A Signal compares the processor time used with the processors here. 0 would mean unknown.
	here := time.Duration(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	r.processors.Used = func() time.Duration { return 1 + r.used*here/time.Duration(s.Processors) }
	r.processors.Begin(0)
	for range cmp.Or(s.Rings, ioengine.MostRings(s.Processors)) {
		ring := &ring{program: r}
		ring.leader.resume = ring.lead
		r.rings = append(r.rings, ring)
	}
	for i := range s.Program.Goroutines {
		r.start(i)
	}
	for range s.Program.Computing {
		r.start(computes)
	}
	for i := range r.procs {
		r.startThread(&r.procs[i], false)
	}
	r.monitor()
	return r
}

// Costs has the costs of a machine: processor time, except for the last three.
type Costs struct {
	Switch    time.Duration // from one goroutine to another
	Ready     time.Duration // to make a goroutine ready
	Spin      time.Duration // a thread looks for goroutines and finds none
	Look      time.Duration // more Spin for each other processor: four looks into its queue
	Wake      time.Duration // to wake a thread
	Block     time.Duration // a thread sleeps and wakes up
	Interrupt time.Duration // of the device, for a thread that sleeps until then
	Submit    time.Duration // to hand an operation to the device, or a copy if it never waits
	Call      time.Duration // the program's own time for an operation, and a system call
	Push      time.Duration // the same, and to put it into a ring's inbox and wait for it
	Enter     time.Duration // io_uring_enter, whatever it submits
	Entry     time.Duration // for an operation in a ring: its two entries
	Result    time.Duration // for an operation in a ring: the leader takes its result
	Bounce    time.Duration // cache lines from others: twice for each doubling of two processors
	Awake     time.Duration // delay until a woken thread has a free core
	Slack     time.Duration // by which the kernel delays the monitor's sleep
	Late      time.Duration // the same, if goroutines compute on all processors
}

// Measured is calibrated with the tables of two processors: see the package comment.
var Measured = Costs{
	Switch: 300, Ready: 500, Spin: 1200, Look: 400,
	Wake: 5000, Block: 3000, Interrupt: 6000, Submit: 2400,
	Call: 1400, Push: 1200, Enter: 800, Entry: 500, Result: 350, Bounce: 250,
	Awake: 15_000, Slack: 12_000, Late: 120_000,
}

// Xeon has the costs of the machine with 16 processors: 0.6 of Measured, except Slack and Late. The
// 0.6 is from one row, os.File by 4 goroutines. The other rows of its tables check the model.
var Xeon = Costs{
	Switch: 180, Ready: 300, Spin: 720, Look: 240,
	Wake: 3000, Block: 1800, Interrupt: 3600, Submit: 1440,
	Call: 840, Push: 720, Enter: 480, Entry: 300, Result: 210, Bounce: 150,
	Awake: 9000, Slack: 12_000, Late: 120_000,
}
