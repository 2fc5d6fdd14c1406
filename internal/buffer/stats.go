package buffer

// Stats is a snapshot of a Pool. Sizes are in bytes.
type Stats struct {
	// InUse is the number of bytes in blocks in use; a block may be twice as large as its request.
	// Peak is the largest value that InUse ever had.
	InUse, Peak int64
	// Mapped is the memory that the Pool has mapped. MappedPeak is the largest value that Mapped
	// ever had.
	Mapped, MappedPeak int64
	Slabs              [NumKinds]int // number of slabs by kind of pages
	Registered         int64         // the part of Mapped that is registered
	Waiting            int           // how many Gets wait
	Waits              int64         // how many Gets have waited
}

// Stats returns a snapshot.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := Stats{
		InUse: p.inUse.Load(), Peak: p.peak.Load(),
		Mapped: p.mapped, MappedPeak: p.mappedPeak,
		Waiting: int(p.waiting.Load()), Waits: p.waits,
	}
	for s := p.slabs.Front(); s != nil; s = s.mapped.Next() {
		st.Slabs[s.kind]++
		if reg := s.reg.Load(); reg != 0 && p.reg.Registered(reg) {
			st.Registered += int64(len(s.mem))
		}
	}
	return st
}
