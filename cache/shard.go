package cache

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/evict"
)

// shard is the part of the cache for the blocks with the same top bits of the hash.
//
// pin finds a block without a lock. A miss, an eviction and an invalidation hold mu. No goroutine
// holds mu during I/O.
type shard struct {
	cache  *Cache
	chains []atomic.Int32 // the first frame of each chain, plus 1. Written under mu
	frames []frame
	counters

	mu     sync.Mutex
	policy *evict.Policy // of the frames that can be found and are not being read
	free   int32         // the first free frame, plus 1; they are linked by next
	fresh  int           // frames from here on have no memory yet
	loads  map[int32]*load
	files  map[uint64]int32 // the first frame of each file, plus 1
	_      [64]byte         // fills up the last cache line
}

// load is the read of a block from the disk. shard.mu guards all fields until done is closed.
type load struct {
	key
	done chan struct{} // nil while no goroutine waits
	err  error         // the reason if frame.n is less than a block
	// retry makes waiting goroutines try again: the read has failed because its reader's context
	// ended, or at an earlier block.
	retry bool
	// detached is set when the block is written to, or its file is closed. Goroutines that already
	// wait may use the bytes; later ones must not.
	detached bool
}

// key is a block of a file.
type key struct {
	file  uint64
	block int64
	hash  uint64
}

func keyOf(file uint64, block int64) key {
	h := uint64(block)*0x9e3779b97f4a7c15 ^ file*0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return key{file, block, h ^ h>>29}
}

// maxSteps bounds the frames that pin looks at. Most chains have one. But frames move while pin
// reads, and may lead it from chain to chain without end.
const maxSteps = 64

// pin finds a block and adds a reference to its frame. It returns -1 if the block is not found, or
// changes at this moment: claim then finds out under mu.
func (s *shard) pin(k key) int32 {
	i := s.chain(k).Load() - 1
	for step := 0; i >= 0 && step < maxSteps; step++ {
		fr := &s.frames[i]
		if fr.holds(k.file, k.block) {
			if !fr.pin() {
				return -1
			}
			if !fr.holds(k.file, k.block) {
				s.unpin(i)
				return -1
			}
			fr.uses.Touch()
			return i
		}
		i = fr.next.Load() - 1
	}
	return -1
}

// unpin removes a reference.
func (s *shard) unpin(i int32) {
	if s.frames[i].word.Add(^uint32(0)) == 0 {
		s.mu.Lock()
		s.release(i)
		s.mu.Unlock()
	}
}

// role is the next step of claim's caller.
type role uint8

const (
	hit    role = iota // use the block
	follow             // wait for the goroutine that reads the block
	lead               // read the block, then call finish
	bypass             // read without caching: all frames are in use
	closed             // return os.ErrClosed
)

// claim looks for a block, and takes a frame for it if it is not cached. Unless r is bypass or
// closed, the caller has a reference to frame i. With absent, claim takes only uncached blocks: for
// all others it returns follow, and no reference.
func (s *shard) claim(f *File, k key, absent bool) (r role, i int32, ld *load) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !f.open.Load() {
		return closed, -1, nil
	}
	if i = s.find(k); i >= 0 {
		fr := &s.frames[i]
		ld = s.loads[i]
		switch {
		case absent:
			return follow, -1, nil
		case ld == nil:
			fr.word.Add(1) // word is not 0: the block can be found, and mu is held
			fr.uses.Touch()
			return hit, i, nil
		case ld.done == nil:
			ld.done = make(chan struct{})
		}
		fr.word.Add(1)
		s.shared.Add(1)
		return follow, i, ld
	}
	s.misses.Add(1)
	if i = s.take(); i < 0 {
		s.bypassed.Add(1)
		return bypass, -1, nil
	}
	ld = &load{key: k}
	s.loads[i] = ld
	s.link(i, k)
	s.frames[i].word.Store(loading | 1)
	return lead, i, ld
}

// finish ends a load: frame i has n bytes, and err is the reason if it has no more. The caller
// keeps its reference from claim.
func (s *shard) finish(f *File, i int32, ld *load, n int, err error) {
	fr := &s.frames[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.loads, i)
	ld.err = err
	fr.n = uint32(n)
	switch {
	case ld.detached:
	case err != nil || n == 0 || !f.open.Load():
		s.unlink(i)
	default:
		s.policy.Insert(i, ld.hash)
		fr.word.Add(1)
	}
	fr.word.And(loading - 1)
	if ld.done != nil {
		close(ld.done)
	}
}

// take returns a free frame, or evicts a block, or returns -1. mu is held.
func (s *shard) take() int32 {
	if i := s.free - 1; i >= 0 {
		s.free = s.frames[i].next.Load()
		s.cache.held.Add(1)
		return i
	}
	if s.fresh < len(s.frames) {
		if at, ok := s.cache.arena.next(); ok {
			i := s.fresh
			s.frames[i].at = at
			s.fresh++
			s.cache.held.Add(1)
			return int32(i)
		}
	}
	i, ok := s.policy.Evict(s.tryEvict)
	if !ok {
		return -1
	}
	s.evictions.Add(1)
	return i
}

// tryEvict frees frame i if only the cache refers to it. The policy calls it, and forgets the frame
// if it returns true. mu is held.
func (s *shard) tryEvict(i int32) bool {
	if !s.frames[i].word.CompareAndSwap(1, 0) {
		return false
	}
	s.unlink(i)
	return true
}

// drop removes the block in frame i from the cache. mu is held.
func (s *shard) drop(i int32) {
	s.unlink(i)
	if ld := s.loads[i]; ld != nil {
		ld.detached = true
		return
	}
	s.policy.Remove(i)
	if s.frames[i].word.Add(^uint32(0)) == 0 {
		s.release(i)
	}
}

// release frees a frame without references. mu is held.
func (s *shard) release(i int32) {
	s.frames[i].next.Store(s.free)
	s.free = i + 1
	s.cache.unhold()
}

// memory returns the bytes of frame i. The caller has a reference to it.
func (s *shard) memory(i int32) []byte { return s.cache.arena.memory(s.frames[i].at) }
