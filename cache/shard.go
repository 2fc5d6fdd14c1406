package cache

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/evict"
)

// shard is a part of the cache: the blocks that hash to it.
//
// A block is found without a lock, by pin. All else, a miss, an eviction, an
// invalidation, is under mu, which is never held during I/O.
type shard struct {
	cache  *Cache
	chains []atomic.Int32 // first frame by hash, plus 1. Written under mu
	frames []frame
	counters

	mu     sync.Mutex
	policy *evict.Policy // of the frames that can be found and are not being read
	free   int32         // first of the frames that nobody needs, linked by next
	fresh  int           // frames from here on have no memory yet
	loads  map[int32]*load
	files  map[uint64]int32 // first frame of each file, plus 1
	_      [64]byte         // shards lie side by side
}

// load is a block's being read from the disk. All fields are under shard.mu
// until done is closed.
type load struct {
	key
	done chan struct{} // nil as long as nobody waits
	err  error         // of the bytes after frame.n
	// retry: the context of the one who read has ended, which is nobody
	// else's concern.
	retry bool
	// detached: the block has been written to, or its file closed. Who joined
	// before that may have what is read; nobody else.
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

// maxSteps is after how many frames of a chain pin gives up. Few chains have
// more than one; but a reader can be led from one into another.
const maxSteps = 64

// pin finds a block and adds a reference to its frame; -1 if it is not there,
// or changes just now: then the answer is to be had under mu.
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

// unpin takes a reference back.
func (s *shard) unpin(i int32) {
	if s.frames[i].word.Add(^uint32(0)) == 0 {
		s.mu.Lock()
		s.release(i)
		s.mu.Unlock()
	}
}

// role is what is to be done by who wants a block.
type role uint8

const (
	hit    role = iota // use it
	follow             // wait for who reads it
	lead               // read it, then finish
	pass               // read past the cache: there is no room
	closed             // nothing: the file is closed
)

// claim looks for a block, and makes room for it if it is not there. But for
// pass and closed there is a reference to frame i. With absent, it returns
// follow without a reference for all that is there.
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
			fr.word.Add(1) // not 0: it can be found, and mu is held
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
		s.passed.Add(1)
		return pass, -1, nil
	}
	ld = &load{key: k}
	s.loads[i] = ld
	s.link(i, k)
	s.frames[i].word.Store(loading | 1)
	return lead, i, ld
}

// finish ends a load: frame i has n bytes, after which comes err. The
// reference of who called claim stays.
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

// take returns a frame that nobody needs; -1 if there is none. Under mu.
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
	i, ok := s.policy.Evict(s.yield)
	if !ok {
		return -1
	}
	s.evictions.Add(1)
	return i
}

// yield gives frame i up, unless somebody uses it. For the policy, which then
// forgets it. Under mu.
func (s *shard) yield(i int32) bool {
	if !s.frames[i].word.CompareAndSwap(1, 0) {
		return false
	}
	s.unlink(i)
	return true
}

// drop makes a block be found no more. Under mu.
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

// release takes back a frame whose last reference has gone. Under mu.
func (s *shard) release(i int32) {
	s.frames[i].next.Store(s.free)
	s.free = i + 1
	s.cache.unhold()
}

// memory is that of frame i, which the caller has a reference to.
func (s *shard) memory(i int32) []byte { return s.cache.arena.memory(s.frames[i].at) }
