package content

import (
	"sync"
	"sync/atomic"
)

// pair is the knowledge about copies from one file system to another. A call that they refuse is
// not tried for each of 100,000 files.
type pair struct {
	dst, src uint64 // st_dev

	clone   support // FICLONE
	cached  support // preadv2(2) of src with RWF_NOWAIT
	splices support // splice(2)
	ranges  support // copy_file_range(2)
	remote  bool    // a server may copy the data (isRemote)

	preallocates bool    // writes to dst are faster into allocated blocks (preallocates)
	allocation   support // fallocate(2)
}

// pairs are the few pairs of a Copier.
type pairs struct {
	known atomic.Pointer[[]*pair] // replaced under mu, never modified
	mu    sync.Mutex
}

// of returns the pair of two files' file systems.
func (p *pairs) of(dst, src File) *pair {
	if known := p.find(dst.Dev, src.Dev); known != nil {
		return known
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.find(dst.Dev, src.Dev); known != nil {
		return known // another goroutine has added it
	}
	made := &pair{dst: dst.Dev, src: src.Dev, remote: isRemote(dst.FD, src.FD), preallocates: preallocates(dst.FD)}
	all := []*pair{made}
	if known := p.known.Load(); known != nil {
		all = append(all, *known...)
	}
	p.known.Store(&all)
	return made
}

func (p *pairs) find(dst, src uint64) *pair {
	known := p.known.Load()
	if known == nil {
		return nil
	}
	for _, k := range *known {
		if k.dst == dst && k.src == src {
			return k
		}
	}
	return nil
}

// support counts the refusals of a call since it last worked. A single file may refuse a call that
// other files of its file system allow, so a call is given up after several refusals in a row.
type support struct {
	refusals  atomic.Int32
	hasWorked atomic.Bool
}

// enough is the number of refusals in a row after which a call is given up.
const enough = 8

// mayWork reports whether the call is worth a try.
func (s *support) mayWork() bool { return s.refusals.Load() < enough }

// refused counts a refusal of one file.
func (s *support) refused() { s.refusals.Add(1) }

// never records that all files refuse the call.
func (s *support) never() { s.refusals.Store(enough) }

// worked forgets the refusals.
func (s *support) worked() {
	if s.refusals.Load() != 0 {
		s.refusals.Store(0)
	}
	if !s.hasWorked.Load() {
		s.hasWorked.Store(true)
	}
}
