package model

import "time"

// Costs is what things cost on a machine: processor time, but for the last two.
type Costs struct {
	Switch    time.Duration // from one goroutine to another
	Ready     time.Duration // to make a goroutine ready
	Spin      time.Duration // a thread looks for goroutines, and finds none
	Look      time.Duration // in addition, for each processor whose queue it looks into, four times
	Wake      time.Duration // to wake a thread
	Block     time.Duration // of a thread: to sleep, and to wake up
	Interrupt time.Duration // of the device, for a thread that sleeps until then
	Submit    time.Duration // to hand an operation to the device
	Copy      time.Duration // of an operation that never waits, instead of Submit

	Loop   time.Duration // of a program, for each operation
	Call   time.Duration // a plain call: into the kernel and back
	Push   time.Duration // to put an operation into a ring's inbox, and to wait for its end
	Enter  time.Duration // io_uring_enter, whatever it submits
	Entry  time.Duration // of an operation in a ring: its two entries
	Result time.Duration // of an operation in a ring: the leader takes its result
	// Bounce is for an operation in a ring, for its goroutine and for its submitter each: cache
	// lines come from other processors. Bounce is added each time that the number of processors
	// doubles beyond two.
	Bounce time.Duration

	Awake time.Duration // delay until a thread that was woken has a core, if one is free
	Slack time.Duration // by which the kernel delays the monitor's sleep
}

// Measured is calibrated with the tables of two processors; see the package comment.
var Measured = Costs{
	Switch: 300, Ready: 500, Spin: 1200, Look: 400,
	Wake: 5000, Block: 3000, Interrupt: 6000, Submit: 2400, Copy: 2200,
	Loop: 500, Call: 900, Push: 700, Enter: 800, Entry: 500, Result: 350, Bounce: 250,
	Awake: 15_000, Slack: 12_000,
}

// Times returns the costs of a machine that takes f times as long.
func (c Costs) Times(f float64) Costs {
	for _, d := range []*time.Duration{
		&c.Switch, &c.Ready, &c.Spin, &c.Look, &c.Wake, &c.Block, &c.Interrupt, &c.Submit, &c.Copy,
		&c.Loop, &c.Call, &c.Push, &c.Enter, &c.Entry, &c.Result, &c.Bounce, &c.Awake,
	} {
		*d = time.Duration(f * float64(*d))
	}
	return c
}

// Xeon has the costs of the machine with 16 processors: 0.6 of Measured, calibrated with one row,
// os.File by 4 goroutines. The rest of the machine's tables checks the model.
var Xeon = Measured.Times(0.6)
