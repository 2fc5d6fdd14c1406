package load

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// busy is the goroutines of Kind.Busy, which compute during a slice. A nil busy has none.
type busy struct {
	all   sync.WaitGroup
	ended atomic.Bool
	done  atomic.Int64 // batches of busyUnits that were computed
	began time.Time
}

// busyUnits is how many units of computation (compute) are done between two looks at busy.ended:
// some microseconds.
const busyUnits = 1 << 12

// newBusy starts two goroutines for each processor that compute, if wanted.
func newBusy(wanted bool) *busy {
	if !wanted {
		return nil
	}
	b := &busy{began: time.Now()}
	for range 2 * runtime.GOMAXPROCS(0) {
		b.all.Go(b.run)
	}
	return b
}

// run computes until b ends.
func (b *busy) run() {
	n := int64(0)
	for x := uint64(1); !b.ended.Load(); n++ {
		x = compute(x, busyUnits)
	}
	b.done.Add(n)
}

// stop ends the goroutines. It returns how many units a second they have computed.
func (b *busy) stop() float64 {
	if b == nil {
		return 0
	}
	b.ended.Store(true)
	took := time.Since(b.began)
	b.all.Wait()
	return float64(b.done.Load()*busyUnits) / took.Seconds()
}
