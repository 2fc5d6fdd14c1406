package fair

import (
	"math"
	"time"
)

// nano is a token in the unit of a bucket's level, so that rate times nanoseconds is exact.
const nano = int64(time.Second)

// burstsPerSecond sizes a bucket: it holds the tokens of 10 ms.
const burstsPerSecond = 100

// bucket is a token bucket. In any time t at most rate*t and burst are taken out, and the excess of
// the last request over the burst.
type bucket struct {
	rate  int64 // a second; 0: no limit
	burst int64 // the most that is in it
	level int64 // in nanos. Below 0 after a request larger than the burst
	at    time.Duration
}

// set changes the rate. The content of the bucket stays, up to the new burst.
func (b *bucket) set(now time.Duration, rate int64) {
	full := b.rate == 0
	b.fill(now)
	b.rate, b.at = rate, now
	b.burst = max(1, rate/burstsPerSecond)
	if b.level = min(b.level, b.burst*nano); full {
		b.level = b.burst * nano
	}
}

// fill adds the tokens since the last call.
func (b *bucket) fill(now time.Duration) {
	if b.rate == 0 || now <= b.at {
		return
	}
	since := int64(now - b.at)
	b.at = now
	if missing := b.burst*nano - b.level; since > missing/b.rate {
		b.level = b.burst * nano
	} else {
		b.level += since * b.rate
	}
}

// ready returns the time at which n can be taken: now, or later.
func (b *bucket) ready(now time.Duration, n int64) time.Duration {
	if b.rate == 0 {
		return now
	}
	b.fill(now)
	missing := min(n, b.burst)*nano - b.level
	if missing <= 0 {
		return now
	}
	return now + time.Duration((missing-1)/b.rate+1)
}

// take takes n out, which ready has allowed.
func (b *bucket) take(n int64) {
	if b.rate != 0 {
		b.level -= n * nano
	}
}

// Never is later than all times.
const Never = time.Duration(math.MaxInt64)
