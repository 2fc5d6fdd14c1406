package crowd

import (
	"runtime/metrics"
	"sync"
	"time"
)

// stacksEvery is the time between two samples of the stacks' size. Most goroutines wait most of the
// time.
const stacksEvery = 20 * time.Millisecond

// watchStacks samples the memory of all goroutines' stacks until stop is called. stop returns the
// peak in bytes. Sampling does not stop the world.
func watchStacks() (stop func() int64) {
	var (
		wg     sync.WaitGroup
		done   = make(chan struct{})
		sample = []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
		most   int64 // only for the goroutine until wg is done
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
