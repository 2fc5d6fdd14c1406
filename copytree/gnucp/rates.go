package gnucp

import "time"

// window is the time over which rates are computed.
const window = 5 * time.Second

// rates are a copy's speeds over the last few seconds.
type rates struct {
	samples [window/tickEvery + 1]sample // a circular buffer
	n       int                          // samples added so far
}

type sample struct {
	at          time.Time
	bytes, work int64
}

func (r *rates) add(at time.Time, s state) {
	r.samples[r.n%len(r.samples)] = sample{at, s.bytes, s.work()}
	r.n++
}

// bytes returns the bytes a second.
func (r *rates) bytes() float64 {
	first, last := r.ends()
	return perSecond(last.bytes-first.bytes, last.at.Sub(first.at))
}

// work returns the state.work a second.
func (r *rates) work() float64 {
	first, last := r.ends()
	return perSecond(last.work-first.work, last.at.Sub(first.at))
}

// ends returns the oldest and the newest sample of the window.
func (r *rates) ends() (first, last sample) {
	if r.n == 0 {
		return first, last
	}
	return r.samples[max(0, r.n-len(r.samples))%len(r.samples)], r.samples[(r.n-1)%len(r.samples)]
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
