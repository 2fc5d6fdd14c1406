package fault

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// Decider returns the verdict on an operation. It is called each time that the operation is
// submitted, and must not change it.
type Decider func(op *driver.Op) Verdict

// None lets every operation pass.
func None(*driver.Op) Verdict { return Verdict{} }

// On calls decide for operations with one code, and lets all other operations pass.
func On(code driver.Code, decide Decider) Decider {
	return func(op *driver.Op) Verdict {
		if op.Code != code {
			return Verdict{}
		}
		return decide(op)
	}
}

// Counter gives one operation a verdict, by its number in the order of submission. A
// test that runs with 0, 1, 2 … until Fired is false has made each of its operations
// fail once.
type Counter struct {
	at      int64
	verdict Verdict
	seen    atomic.Int64
}

// NewCounter returns a Counter that gives operation number at, from 0, the verdict.
func NewCounter(at int, v Verdict) *Counter { return &Counter{at: int64(at), verdict: v} }

// Decide is a Decider.
func (c *Counter) Decide(*driver.Op) Verdict {
	if c.seen.Add(1)-1 == c.at {
		return c.verdict
	}
	return Verdict{}
}

// Seen returns the number of operations so far.
func (c *Counter) Seen() int { return int(c.seen.Load()) }

// Fired reports whether the operation with that number has come.
func (c *Counter) Fired() bool { return c.seen.Load() > c.at }

// First gives each request the verdict at its first tries, and then lets it pass, as EINTR and
// EAGAIN do. Two requests are the same if they do the same to the same file at the same offset.
func First(tries int, v Verdict) Decider {
	type request struct {
		code driver.Code
		fd   int32
		off  int64
	}
	var mu sync.Mutex
	seen := map[request]int{}
	return func(op *driver.Op) Verdict {
		mu.Lock()
		defer mu.Unlock()
		k := request{op.Code, op.FD, op.Off}
		if seen[k]++; seen[k] > tries {
			return Verdict{}
		}
		return v
	}
}

// Random gives a fraction share of all operations, from 0 to 1, one of the verdicts.
// The same seed decides the same for the same order of submission.
func Random(seed uint64, share float64, verdicts ...Verdict) Decider {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 0))
	return func(*driver.Op) Verdict {
		mu.Lock()
		defer mu.Unlock()
		if r.Float64() >= share {
			return Verdict{}
		}
		return verdicts[r.IntN(len(verdicts))]
	}
}
