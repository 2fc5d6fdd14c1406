package model

import (
	"math/rand/v2"
	"time"
)

// Device says what a device is like. With n operations in it each takes (n+k)/Rate in the mean,
// where k is what makes one alone take Latency. So it performs Rate*n/(n+k) of them in a second.
// fio's operations a second on the machines here follow that within 3 %, from 4 to 256 at a time
// (docs/results/rand-depth.md).
type Device struct {
	Rate float64 // operations a second, however many it has
	// Latency is of an operation that is alone, 1/Rate at least. With 0 no operation waits.
	Latency time.Duration
}

// perInterrupt is how many operations a device has for each that it ends with one interrupt: of 64,
// six end at once.
const perInterrupt = 6

// device performs operations. n operations share it: in a second each makes a progress of
// rate/(n+k).
type device struct {
	c       *cores
	r       *rand.Rand
	rate, k float64
	ended   []func()
	work    heap[inDevice]
	done    float64 // progress of an operation that was always there
	when    time.Duration
	turn    int // the number of the timer that counts
}

type inDevice struct {
	ends float64 // when done is that, the operation ends
	then func()
}

func (o inDevice) before(p inDevice) bool { return o.ends < p.ends }

func newDevice(c *cores, d Device, r *rand.Rand) *device {
	return &device{c: c, r: r, rate: d.Rate, k: max(0, d.Rate*d.Latency.Seconds()-1)}
}

// speed returns the progress of each operation in a nanosecond.
func (d *device) speed() float64 { return d.rate / 1e9 / (float64(len(d.work)+len(d.ended)) + d.k) }

// goOn has the operations make the progress that they have made until now.
func (d *device) goOn() {
	if len(d.work) > 0 {
		d.done += float64(d.c.now-d.when) * d.speed()
	}
	d.when = d.c.now
}

// submit has the device perform an operation, and calls then at its end. Three quarters of an
// operation's time are the same for all, and the rest is exponential.
func (d *device) submit(then func()) {
	d.goOn()
	d.work.push(inDevice{d.done + 0.75 + 0.25*d.r.ExpFloat64(), then})
	d.wait()
}

// wait waits for the operation that ends first.
func (d *device) wait() {
	if len(d.work) == 0 {
		return
	}
	d.turn++
	turn := d.turn
	d.c.after(time.Duration(max(0, d.work[0].ends-d.done)/d.speed())+1, func() {
		if turn != d.turn {
			return
		}
		d.goOn()
		for len(d.work) > 0 && d.work[0].ends <= d.done {
			d.ended = append(d.ended, d.work.pop().then)
		}
		if n := len(d.work); n == 0 || len(d.ended) >= (n+len(d.ended))/perInterrupt {
			ended := d.ended
			d.ended = nil
			for _, then := range ended {
				then()
			}
		}
		d.wait()
	})
}
