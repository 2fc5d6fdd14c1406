package copytree

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fetch"
)

// scout reads directories and opens files ahead of the workers, and has the
// kernel begin to read them, many at a time. It is there while a tree is copied,
// and does nothing until the workers find that the caches lack what they ask
// for.
type scout struct {
	*worker
	fetcher *fetch.Fetcher // nil until it is needed, and where there is none
	tried   bool           // to have one
	held    []*batch       // opened, and not yet fetched and handed over
	holds   int            // descriptors in held
	fds     []int          // in held, to be fetched
	opened  int            // files
}

const (
	// pieceMost is how many files are in one batch.
	pieceMost = 32
	// heldMost is how many descriptors a scout holds when it has them fetched,
	// those of the last piece not counted.
	heldMost = 128
	// sampleEvery is of how many files one is asked for by a call that tells
	// whether it was in the cache.
	sampleEvery = 16
)

// scout goes ahead until there is nothing left.
func (s *scout) scout() {
	defer s.close()
	for {
		d := s.queue.nextDir(s.job, s.id, len(s.held) == 0)
		switch {
		case d != nil:
			s.explore(d)
		case len(s.held) > 0:
			s.hand()
		default:
			return
		}
	}
}

func (s *scout) close() {
	if s.fetcher != nil {
		_ = s.fetcher.Close()
	}
}

// explore opens what is in the next part of d.
func (s *scout) explore(d *dir) {
	for b := s.worker.explore(d); b != nil; {
		b = s.piece(b)
		if s.holds >= heldMost {
			s.hand()
		}
	}
}

// piece opens the files of a part of b. It returns the rest, nil if that was all.
func (s *scout) piece(b *batch) (rest *batch) {
	if len(b.entries) > pieceMost {
		rest = batches.Get().(*batch)
		rest.in = b.in
		rest.entries = append(rest.entries, b.entries[pieceMost:]...)
		b.entries = b.entries[:pieceMost]
		b.in.open.Add(1)
		s.handles.useOpen(b.in)
	}
	b.keep()
	for i := range b.entries {
		s.open(b.in, &b.entries[i])
	}
	s.held = append(s.held, b)
	s.holds += len(b.entries) + 2
	return rest
}

// open opens e, to be fetched. What goes wrong goes wrong again when it is
// copied.
func (s *scout) open(d *dir, e *entry) {
	if e.Type != at.Regular || s.o.Make != MakeCopy || s.o.DryRun || s.stopped.Load() {
		return
	}
	fd, err := s.kernel.Open(d.src, e.Name, at.Follow(s.o.Follow == FollowAll), e.Type)
	if err != nil {
		return
	}
	e.fd = fd
	if s.copier.Clones(d.copyID.Dev, d.stat.Dev) {
		return // nobody reads it
	}
	if s.opened++; s.opened%sampleEvery == 0 || !s.fetches() {
		_, c := s.kernel.ReadCached(fd, s.buf[:1]) // which begins to fetch it, too
		s.warmth.note(c)
		return
	}
	s.fds = append(s.fds, fd)
}

// fetches tells whether there is a fetcher.
func (s *scout) fetches() bool {
	if !s.tried {
		s.tried = true
		if drv := s.scheduler.Internal().NewDriver(fetch.Depth); drv != nil {
			s.fetcher = fetch.New(drv)
		}
	}
	return s.fetcher != nil
}

// hand has what is held be fetched, and hands it over.
func (s *scout) hand() {
	if len(s.fds) > 0 {
		if err := s.fetcher.Fetch(s.fds); err != nil {
			s.close()
			s.fetcher = nil // workers read what is not fetched
		}
	}
	s.queue.hand(s.job, s.held)
	clear(s.held)
	s.held, s.holds, s.fds = s.held[:0], 0, s.fds[:0]
	most := hotAt
	if s.fetcher != nil {
		most /= sampleEvery
	}
	if s.warmth.hits >= most {
		s.warmth = warmth{}
		s.queue.setCold(false)
	}
}
