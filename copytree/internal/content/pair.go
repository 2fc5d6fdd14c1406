package content

import (
	"sync"
	"sync/atomic"
)

// pair is what is known of copies from one file system to another. That a call is
// refused is remembered, so that it is not made for each of 100,000 files.
type pair struct {
	dst, src uint64 // st_dev

	clone   asking // FICLONE
	cached  asking // preadv2(2) with RWF_NOWAIT, of src
	splices asking // splice(2)
	ranges  asking // copy_file_range(2)
	remote  bool   // the data need not come here: see remote

	allocates  bool   // dst is quicker where blocks are: see allocates
	allocation asking // fallocate(2)
}

// pairs are the pairs that there are, which are few.
type pairs struct {
	known atomic.Pointer[[]*pair] // replaced under mu, never changed
	mu    sync.Mutex
}

// of returns the pair of two files.
func (p *pairs) of(dst, src File) *pair {
	if known := p.find(dst.Dev, src.Dev); known != nil {
		return known
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.find(dst.Dev, src.Dev); known != nil {
		return known // somebody was quicker
	}
	made := &pair{dst: dst.Dev, src: src.Dev, remote: remote(dst.FD, src.FD), allocates: allocates(dst.FD)}
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

// asking counts how often something was refused since it was last granted. It is
// no longer asked for then: single files may refuse what others of their file
// system grant.
type asking struct {
	refusals atomic.Int32
	given    atomic.Bool // it was granted
}

// enough refusals in a row are those of all files.
const enough = 8

func (a *asking) worth() bool { return a.refusals.Load() < enough }

// refused counts a refusal of one file.
func (a *asking) refused() { a.refusals.Add(1) }

// never says that it is refused for all.
func (a *asking) never() { a.refusals.Store(enough) }

// granted forgets refusals.
func (a *asking) granted() {
	if a.refusals.Load() != 0 {
		a.refusals.Store(0)
	}
	if !a.given.Load() {
		a.given.Store(true)
	}
}
