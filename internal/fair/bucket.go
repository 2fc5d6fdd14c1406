package fair

import (
	"math"
	"time"
)

// burstsPerSecond sizes a bucket: it holds the tokens of 10 ms. Chosen: a time slice of the Go
// runtime, by which a goroutine may be late.
const burstsPerSecond = 100

// bucket is a token bucket. In any time t at most rate*t and burst are taken out, and the excess of
// the last request over the burst.
type bucket struct {
	rate  float64 // tokens a nanosecond; 0: no limit
	burst float64 // the most that is in it
	empty float64 // the time at which it was, or will be, empty
}

// set changes the rate, in tokens a second. The content of the bucket stays, up to the new burst.
func (b *bucket) set(now time.Duration, rate int64) {
	level := math.Inf(1)
	if b.rate > 0 {
		level = min((float64(now)-b.empty)*b.rate, b.burst)
	}
	b.rate = float64(rate) / float64(time.Second)
	b.burst = float64(max(1, rate/burstsPerSecond))
	b.empty = float64(now) - min(level, b.burst)/b.rate
}

// ready returns the time at which n can be taken: now, or later.
func (b *bucket) ready(now time.Duration, n int) time.Duration {
	if b.rate == 0 {
		return now
	}
	return max(now, time.Duration(math.Ceil(b.empty+min(float64(n), b.burst)/b.rate)))
}

// take takes n out, which ready has allowed.
func (b *bucket) take(now time.Duration, n int) {
	if b.rate != 0 {
		b.empty = max(b.empty, float64(now)-b.burst/b.rate) + float64(n)/b.rate
	}
}

// Never is later than all times.
const Never = time.Duration(math.MaxInt64)
