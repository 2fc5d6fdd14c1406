package ioengine

// BatchBuckets is how many sizes of batches Stats tells apart: 1, 2–3, 4–7 … 1024 and more.
const BatchBuckets = 11

// Stats is what engines have done, and what they do now.
type Stats struct {
	Batches    int64
	BatchSizes [BatchBuckets]int64
	InFlight   int // operations that the drivers have
	Blocked    int // leaders that wait in the driver
}

// AddTo adds the engine's Stats to st.
func (e *Engine) AddTo(st *Stats) {
	for i := range st.BatchSizes {
		n := e.batches[i].Load()
		st.BatchSizes[i] += n
		st.Batches += n
	}
	st.InFlight += int(e.inflight.Load())
	if e.state.Load() == blocked {
		st.Blocked++
	}
}
