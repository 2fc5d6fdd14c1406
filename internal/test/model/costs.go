package model

import "time"

// Costs has the costs of a machine: processor time, except for the last two.
type Costs struct {
	Switch    time.Duration // from one goroutine to another
	Ready     time.Duration // to make a goroutine ready
	Spin      time.Duration // a thread looks for goroutines and finds none
	Look      time.Duration // more Spin for each other processor: four looks into its queue
	Wake      time.Duration // to wake a thread
	Block     time.Duration // a thread sleeps and wakes up
	Interrupt time.Duration // of the device, for a thread that sleeps until then
	Submit    time.Duration // to hand an operation to the device
	Copy      time.Duration // an operation that never waits, instead of Submit

	Call   time.Duration // the program's own time for an operation, and a system call
	Push   time.Duration // the same, and to put it into a ring's inbox and wait for it
	Enter  time.Duration // io_uring_enter, whatever it submits
	Entry  time.Duration // for an operation in a ring: its two entries
	Result time.Duration // for an operation in a ring: the leader takes its result
	// Bounce is for cache lines from other processors: for an operation in a ring, once for its
	// goroutine and once for its submitter. It is added for each doubling of the processors beyond
	// two.
	Bounce time.Duration

	Awake time.Duration // delay until a woken thread has a free core
	Slack time.Duration // by which the kernel delays the monitor's sleep
}

// Measured is calibrated with the tables of two processors: see the package comment.
var Measured = Costs{
	Switch: 300, Ready: 500, Spin: 1200, Look: 400,
	Wake: 5000, Block: 3000, Interrupt: 6000, Submit: 2400, Copy: 2200,
	Call: 1400, Push: 1200, Enter: 800, Entry: 500, Result: 350, Bounce: 250,
	Awake: 15_000, Slack: 12_000,
}

// Xeon has the costs of the machine with 16 processors: 0.6 of Measured, except Slack. The 0.6 is
// from one row, os.File by 4 goroutines. The other rows of the machine's tables check the model.
var Xeon = Costs{
	Switch: 180, Ready: 300, Spin: 720, Look: 240,
	Wake: 3000, Block: 1800, Interrupt: 3600, Submit: 1440, Copy: 1320,
	Call: 840, Push: 720, Enter: 480, Entry: 300, Result: 210, Bounce: 150,
	Awake: 9000, Slack: 12_000,
}
