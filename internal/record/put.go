package record

import (
	"math"

	"github.com/sluiceio/sluice/internal/sys"
)

// Op is an operation that has ended. Its times are results of Now. A time that is 0, or earlier
// than the field above it, counts as equal to that field.
type Op struct {
	Queued, Submitted, Completed, Woken int64

	Off   int64
	Size  int
	Res   int32
	File  uint32 // a result of Recorder.File
	Batch int
	Kind  uint8
	Path  uint8
	Drv   uint8
	Ring  uint8 // the number of the Hook
	Class uint8 // a result of Recorder.Class
}

// Call is a system call that has returned, or a trial of a governor.
type Call struct {
	Start, End       int64
	Batch, Wait, Res int32
	Syscall, Drv     uint8
	Ring             uint8 // the number of the Hook
}

// PutOp records an operation.
func (r *Recorder) PutOp(o *Op) {
	hash := sys.Goroutine()
	r.noteLabels(hash, max(o.Queued, o.Submitted, o.Completed, o.Woken))
	e, word := r.claim(hash)
	if e == nil {
		return
	}
	e.queued, e.off = o.Queued, o.Off
	e.size, e.res, e.file, e.goroutine = uint32(min(uint64(o.Size), math.MaxUint32)), o.Res, o.File, hash
	at := e.since(0, o.Queued, o.Submitted)
	at = e.since(1, at, o.Completed)
	e.since(2, at, o.Woken)
	e.batch = uint16(min(o.Batch, math.MaxUint16))
	e.kind, e.path, e.ring, e.drv = o.Kind, o.Path|o.Class<<pathBits, o.Ring, o.Drv
	e.word.Store(word)
}

// PutCall records a system call.
func (r *Recorder) PutCall(c *Call) {
	hash := sys.Goroutine()
	e, word := r.claim(hash)
	if e == nil {
		return
	}
	e.queued, e.off = c.Start, int64(c.Batch)<<32|int64(uint32(c.Wait))
	e.size, e.res, e.file, e.goroutine = 0, c.Res, 0, hash
	at := e.since(0, c.Start, c.End)
	e.since(1, at, at)
	e.since(2, at, at)
	e.kind, e.path, e.ring, e.drv, e.batch = callKind+c.Syscall, 0, c.Ring, c.Drv, 0
	e.word.Store(word)
}

// since stores difference i, and returns the time at its end.
func (e *event) since(i int, before, at int64) int64 {
	d := min(max(at-before, 0), 1<<48-1)
	e.low[i], e.high[i] = uint32(d), uint16(d>>32)
	return before + d
}

func (e *event) diff(i int) int64 { return int64(e.high[i])<<32 | int64(e.low[i]) }

// claim returns a place for a record, and the word to store when the record is complete. The place
// is nil if the record is lost.
func (r *Recorder) claim(hash uint32) (*event, uint64) {
	s := &r.stripes[hash&r.stripeMask]
	// pos must not go on: after 2^24 places it would run into the bits of the turn.
	if r.full.Load() {
		s.lost.Add(1)
		return nil, 0
	}
	p := s.pos.Add(1) - 1
	turn, i := p>>posBits, p&posMask
	c := &r.chunks[turn&r.chunkMask]
	if i >= perChunk || c.turn.Load() != turn {
		return r.claimSlow(hash, turn, i)
	}
	return c.events[i].lock(turn)
}

// lock claims the place. It returns nil if a goroutine is writing or reading there, or if the place
// has a record of a later turn.
func (e *event) lock(turn uint64) (*event, uint64) {
	w := e.word.Load()
	if w&1 != 0 || w>>1 > turn || !e.word.CompareAndSwap(w, turn<<1|1) {
		return nil, 0
	}
	return e, turn << 1
}

// claimSlow is claim for a goroutine that got place i of a chunk that is full, or that another
// stripe has taken since.
func (r *Recorder) claimSlow(hash uint32, turn, i uint64) (*event, uint64) {
	index := hash & r.stripeMask
	s, mu := &r.stripes[index], &r.locks[index]
	if i < perChunk {
		s.earlier.Add(-1) // the place was counted as used
	}
	if r.full.Load() {
		s.lost.Add(1)
		return nil, 0
	}
	mu.Lock()
	defer mu.Unlock()
	if s.pos.Load()>>posBits != turn { // another goroutine has taken a chunk in between
		if e, word, ok := r.takeAnother(s); ok {
			return e, word
		}
	}
	return r.nextChunk(s)
}

// takeAnother takes another place. The stripe's lock is held.
func (r *Recorder) takeAnother(s *stripe) (e *event, word uint64, ok bool) {
	p := s.pos.Add(1) - 1
	turn, i := p>>posBits, p&posMask
	c := &r.chunks[turn&r.chunkMask]
	switch {
	case i >= perChunk:
		return nil, 0, false
	case c.turn.Load() != turn:
		s.earlier.Add(-1)
		return nil, 0, false
	}
	e, word = c.events[i].lock(turn)
	return e, word, true
}

// nextChunk gives the stripe the next chunk, and returns its first place. The stripe's lock
// is held.
func (r *Recorder) nextChunk(s *stripe) (*event, uint64) {
	for {
		turn := r.head.next.Add(1)
		if r.head.keep != 0 && turn > uint64(len(r.chunks)) {
			r.full.Store(true)
			s.lost.Add(1)
			return nil, 0
		}
		i := turn & r.chunkMask
		if i >= uint64(r.head.ready.Load()) && !r.growth.reserveChunk(i) {
			r.full.Store(true)
			s.lost.Add(1)
			return nil, 0
		}
		if c := &r.chunks[i]; c.setTurn(turn) {
			old := s.pos.Swap(turn<<posBits | 1)
			s.earlier.Add(int64(min(old&posMask, perChunk)))
			return c.events[0].lock(turn)
		}
	}
}

// setTurn sets the chunk's turn. It returns false if the chunk has a later one already: a goroutine
// may be held up between taking a turn and this call.
func (c *chunk) setTurn(turn uint64) bool {
	for {
		t := c.turn.Load()
		if t > turn {
			return false
		}
		if c.turn.CompareAndSwap(t, turn) {
			return true
		}
	}
}

// total returns the number of records that were made or lost.
func (a *area) total() int64 {
	n := int64(0)
	for i := range a.stripes {
		s := &a.stripes[i]
		n += s.earlier.Load() + s.lost.Load() + int64(min(s.pos.Load()&posMask, perChunk))
	}
	return n
}
