package buffer

// Stats is a snapshot of a Pool. Sizes are in bytes.
type Stats struct {
	Limit int64
	// InUse is in blocks that somebody has, which are up to twice as large as
	// what was asked for; Peak the most that it ever was.
	InUse, Peak int64
	// Mapped is what the Pool has from the system; MappedPeak the most that
	// it ever was.
	Mapped, MappedPeak int64
	Slabs              [NumKinds]int // by kind of page
	Registered         int64         // of Mapped, what the Registrar knows
	Waiting            int           // Gets that wait
	Waits              int64         // Gets that have had to wait, ever
}

// Stats returns the counters.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := Stats{
		Limit: p.limit,
		InUse: p.inUse.Load(), Peak: p.peak.Load(),
		Mapped: p.mapped, MappedPeak: p.mappedPeak,
		Waiting: int(p.waiting.Load()), Waits: p.waits,
	}
	for s := p.slabs.Front(); s != nil; s = s.mapped.Next() {
		st.Slabs[s.kind]++
		if s.reg.Load() != 0 {
			st.Registered += int64(len(s.mem))
		}
	}
	return st
}
