package evict

import "math/bits"

// ways is the number of ghosts in a bucket.
const ways = 8

// ghosts remembers the keys that were evicted last, by a part of their hashes. It mistakes about
// one in 2^29 other keys for one of them. A full bucket forgets its oldest ghost.
type ghosts struct {
	buckets  [][ways]ghost
	shift    uint // shifts a hash right to its bucket
	capacity uint32
	now      uint32 // number of keys evicted so far; wraps around
}

// ghost is an evicted key. The zero value is none.
type ghost struct {
	mark uint32 // a part of its hash, never 0
	when uint32 // now, when it was added
}

// newGhosts returns ghosts that remembers the last n keys.
func newGhosts(n int) ghosts {
	size := bits.Len(uint(max(1, 2*n/ways) - 1))
	return ghosts{buckets: make([][ways]ghost, 1<<size), shift: uint(64 - size), capacity: uint32(n)}
}

func (g *ghosts) find(key uint64) (bucket *[ways]ghost, mark uint32) {
	h := key * 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return &g.buckets[h>>g.shift], uint32(h) | 1
}

// add remembers a key that was evicted.
func (g *ghosts) add(key uint64) {
	g.now++
	b, mark := g.find(key)
	oldest := &b[0]
	for i := range b {
		e := &b[i]
		if e.mark == 0 {
			oldest = e
			break
		}
		if g.now-e.when > g.now-oldest.when {
			oldest = e
		}
	}
	*oldest = ghost{mark, g.now}
}

// take reports whether key is remembered, and forgets it.
func (g *ghosts) take(key uint64) bool {
	b, mark := g.find(key)
	for i := range b {
		if e := &b[i]; e.mark == mark {
			fresh := g.now-e.when < g.capacity
			*e = ghost{}
			return fresh
		}
	}
	return false
}
