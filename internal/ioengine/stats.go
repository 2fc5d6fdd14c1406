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

// State is what an Engine does at a moment, for tests and messages, read while operations go on.
type State struct {
	Leads          bool // there is a leader
	Blocked        bool // the leader waits in the driver
	InFlight       int  // operations that the driver has
	SetOps         int  // operations in flight that belong to RequestSets
	ReaperRequests int  // goroutines that need a leader for operations of RequestSets
	Queued         bool // operations wait in the inbox, or in the backlog for room in the driver
}

// State does not lock mu: a goroutine that has held mu must look at the inbox again.
func (e *Engine) State() State {
	state := e.state.Load()
	return State{
		Leads: state != idle, Blocked: state == blocked,
		InFlight: int(e.inflight.Load()), SetOps: int(e.setOps.Load()),
		ReaperRequests: int(e.reaperRequests.Load()), Queued: e.waiting.Load() != 0 || e.inbox.Load() != nil,
	}
}
