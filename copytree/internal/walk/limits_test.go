package walk

import "testing"

func TestLimits(t *testing.T) {
	for _, descriptors := range []int{0, 20, 64, 256, 1024, 1 << 20} {
		for _, concurrency := range []int{0, 1, 2, 16, 1024} {
			l := limitsFor(descriptors, concurrency)
			most := (l.Workers+l.ColdWorkers)*workerDescriptors + 2*l.idleDirs
			if l.Prefetchers > 0 {
				most += l.OpenAhead + l.Prefetchers*prefetcherDescriptors
			}
			if l.Workers < 1 || l.idleDirs < 1 && descriptors >= 64 || descriptors > 64 && most > descriptors-otherDescriptors {
				t.Errorf("limitsFor(%d, %d) = %+v: %d descriptors", descriptors, concurrency, l, most)
			}
			if concurrency > 0 && l.Workers+l.ColdWorkers > concurrency || concurrency == 1 && l.Prefetchers > 0 {
				t.Errorf("limitsFor(%d, %d) = %+v", descriptors, concurrency, l)
			}
		}
	}
}
