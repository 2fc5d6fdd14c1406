package cache

import "sync/atomic"

// Stats is a snapshot of a [Cache]. Counters count blocks, from 0 when the Cache is made. They are
// read one after the other while operations go on, so sums can be off.
type Stats struct {
	Hits   int64 // blocks found in the cache
	Misses int64 // blocks read from the disk
	Shared int64 // blocks waited for while another goroutine read them
	// Bypassed is how many of Misses were not cached, because all memory was in
	// use.
	Bypassed  int64
	Evictions int64 // blocks removed to make room for others

	Limit int64 // the budget in bytes
	// Bytes is the memory in use, in bytes: blocks that are cached, blocks that
	// are being read, and blocks that have left the cache but have Views.
	Bytes  int64
	Pinned int64 // how much of Bytes is held by Views and operations in progress
}

// counters is what Stats returns of a shard.
type counters struct {
	hits                                atomic.Int64
	_                                   [56]byte // each hit writes hits; the others have their own cache line
	misses, shared, bypassed, evictions atomic.Int64
}

// Stats returns a snapshot. It takes time proportional to the number of blocks.
func (c *Cache) Stats() Stats {
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

// count returns the number of frames that are not free, and how many of them
// are held by more than the cache itself.
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
