package content

import (
	"sync"
	"sync/atomic"
)

// pair is what is known of copies from one file system to another, so that a call
// which they refuse is not tried for each of 100,000 files.
type pair struct {
	dst, src uint64 // st_dev

	clone   support // FICLONE
	cached  support // preadv2(2) with RWF_NOWAIT, of src
	splices support // splice(2)
	ranges  support // copy_file_range(2)
	remote  bool    // a server may copy the data: see isRemote

	preallocates bool    // dst is quicker where blocks are allocated: see preallocates
	allocation   support // fallocate(2)
}

// pairs are the pairs of a Copier, of which there are few.
type pairs struct {
	known atomic.Pointer[[]*pair] // replaced under mu, never changed
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
		return known // another goroutine has added it meanwhile
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

// support counts how often a call was refused since it last worked. Single files
// may refuse what others of their file system allow, so a call is given up only
// after several refusals in a row.
type support struct {
	refusals  atomic.Int32
	hasWorked atomic.Bool
}

// enough refusals in a row mean that all files refuse the call.
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
