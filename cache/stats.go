package cache

import "sync/atomic"

// Stats is a snapshot of a [Cache]'s counters, which count blocks from New on. They are read one
// after the other, so sums can be off by the operations in progress.
type Stats struct {
	Hits   int64 // blocks found in the cache
	Misses int64 // blocks read from the disk
	Shared int64 // blocks waited for while another goroutine read them
	// Bypassed is how many of Misses were not cached, because all memory was in use.
	Bypassed  int64
	Evictions int64 // blocks removed to make room for others

	Limit int64 // the budget in bytes
	// Bytes is the memory in use, in bytes: for cached blocks, blocks that are being read, and
	// blocks with Views that have left the cache.
	Bytes  int64
	Pinned int64 // the part of Bytes that Views and operations in progress hold
}

// counters are the counters of a shard, for Stats.
type counters struct {
	hits                                atomic.Int64
	_                                   [56]byte // keeps hits apart: each hit writes it
	misses, shared, bypassed, evictions atomic.Int64
}

// Stats returns a snapshot. It looks at each block, which takes time in a large cache.
func (c *Cache) Stats() Stats {
	c.checkMade()
	block := int64(c.options.Block)
	st := Stats{Limit: int64(c.arena.total) * block}
	for i := range c.shards {
		s := &c.shards[i]
		st.Hits += s.hits.Load()
		st.Misses += s.misses.Load()
		st.Shared += s.shared.Load()
		st.Bypassed += s.bypassed.Load()
		st.Evictions += s.evictions.Load()
		used, pinned := s.count()
		st.Bytes += used * block
		st.Pinned += pinned * block
	}
	return st
}

// count returns the number of frames in use, and how many of them Views and operations hold.
func (s *shard) count() (used, pinned int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.frames[:s.fresh] {
		fr := &s.frames[i]
		w := fr.word.Load()
		if w == 0 {
			continue
		}
		used++
		if w != 1 || fr.file.Load() == 0 {
			pinned++
		}
	}
	return used, pinned
}
