package cache

import "sync/atomic"

// Stats is a snapshot of a [Cache]. The counters are of blocks, and are read
// one after the other while operations go on.
type Stats struct {
	Hits   int64 // blocks that were there
	Misses int64 // blocks that were asked of the disk
	Shared int64 // blocks that were waited for while another asked the disk
	// Passed is how many of Misses were read past the cache, since all memory
	// was in use.
	Passed    int64
	Evictions int64 // blocks that made room for others

	Limit int64 // the budget in bytes
	// Bytes is the memory in use: blocks that can be found, that are being
	// read, and that are gone but for their Views.
	Bytes  int64
	Pinned int64 // of Bytes, what Views and operations in progress hold
}

// counters are the Stats of a shard.
type counters struct {
	hits                              atomic.Int64
	_                                 [56]byte // hits is written at each of them
	misses, shared, passed, evictions atomic.Int64
}

// Stats returns the counters. It looks at all blocks.
func (c *Cache) Stats() Stats {
	block := int64(c.options.Block)
	st := Stats{Limit: int64(c.arena.total) * block}
	for i := range c.shards {
		s := &c.shards[i]
		st.Hits += s.hits.Load()
		st.Misses += s.misses.Load()
		st.Shared += s.shared.Load()
		st.Passed += s.passed.Load()
		st.Evictions += s.evictions.Load()
		used, pinned := s.count()
		st.Bytes += used * block
		st.Pinned += pinned * block
	}
	return st
}

// count returns how many frames somebody needs, and how many of these
// somebody else than the cache itself.
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
