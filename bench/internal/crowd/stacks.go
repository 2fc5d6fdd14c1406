package crowd

import (
	"runtime/metrics"
	"sync"
	"time"
)

// stacksEvery is how often the stacks are looked at. Most goroutines wait for
// most of the time.
const stacksEvery = 20 * time.Millisecond

// watchStacks looks at the memory of all goroutines' stacks until the function
// that it returns is called, which gives the most there was, in bytes. It does not
// stop the world.
func watchStacks() (stop func() int64) {
	var (
		wg     sync.WaitGroup
		done   = make(chan struct{})
		sample = []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
		most   int64 // the goroutine's until wg is done
	)
	wg.Go(func() {
		tick := time.NewTicker(stacksEvery)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			most = max(most, int64(sample[0].Value.Uint64()))
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() int64 {
		close(done)
		wg.Wait()
		return most
	}
}
