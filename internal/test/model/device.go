package model

import (
	"math/rand/v2"
	"time"
)

// Device describes a device. With n operations in it, each takes (n+k)/Rate on average; k is such
// that a lone operation takes Latency. So the device performs Rate*n/(n+k) operations a second.
// fio's rates on the machines here follow that within 3 %, for 4 to 256 operations
// (docs/results/rand-depth.md). On the zero Device no operation waits.
type Device struct {
	Rate    float64       // the most operations a second
	Latency time.Duration // the time of a lone operation, at least 1/Rate
}

// perInterrupt is the number of operations in the device for each that an interrupt ends: of 64,
// six end at once.
const perInterrupt = 6

// device performs operations. n operations share it: in a second each makes a progress of
// rate/(n+k).
type device struct {
	c       *cores
	r       *rand.Rand
	rate, k float64
	work    events[float64] // operations, each by the progress at which it ends
	ended   []func()        // operations that wait for an interrupt
	done    float64         // progress of an operation since the beginning
	when    time.Duration   // of done
	speed   float64         // progress of each operation in a nanosecond
	turn    int             // the number of the current timer
}

// goOn adds the operations' progress until now.
func (d *device) goOn() {
	d.done += float64(d.c.now-d.when) * d.speed
	d.when = d.c.now
}

// submit gives the device an operation, and calls then at its end. Three quarters of an operation's
// time are the same for all; the rest is exponential.
func (d *device) submit(then func()) {
	if d.rate == 0 {
		then()
		return
	}
	d.goOn()
	d.work.add(d.done+0.75+0.25*d.r.ExpFloat64(), then)
	d.wait()
}

// wait waits for the operation that ends first.
func (d *device) wait() {
	if d.speed = 0; len(d.work) == 0 {
		return
	}
	d.speed = d.rate / 1e9 / (float64(len(d.work)+len(d.ended)) + d.k)
	d.turn++
	turn := d.turn
	d.c.after(time.Duration(max(0, d.work[0].at-d.done)/d.speed)+1, func() {
		if turn != d.turn {
			return
		}
		d.goOn()
		for len(d.work) > 0 && d.work[0].at <= d.done {
			d.ended = append(d.ended, pop(&d.work).do)
		}
		if n := len(d.work); n == 0 || len(d.ended) >= (n+len(d.ended))/perInterrupt {
			for _, then := range d.ended {
				then()
			}
			d.ended = nil
		}
		d.wait()
	})
}
