package walk

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/fetch"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/pace"
	"github.com/sluiceio/sluice/copytree/internal/queue"
)

// prefetcher reads directories and opens files ahead of the workers. It makes the kernel begin to
// read many files at a time. It waits while the tree is hot.
type prefetcher struct {
	w       *worker
	fetcher *fetch.Fetcher // nil until it is needed, or if there is no driver for it
	tried   bool           // whether it has tried to open a driver
	held    []*queue.Batch // opened batches that are not fetched and delivered yet
	holds   int            // descriptors in held
	fds     []int          // descriptors in held that are to be fetched
	opened  int            // the number of opened files
	sample  [1]byte        // the byte that is read from every sampleEvery-th file
}

const (
	// pieceSize is the number of files in a batch.
	pieceSize = 32
	// maxHeld is the number of descriptors at which a prefetcher fetches and delivers. The last
	// batch may exceed it.
	maxHeld = 128
	// sampleEvery says how often a file is read by a call that shows whether the page cache had it:
	// one file in sampleEvery.
	sampleEvery = 16
)

// run reads ahead until nothing is left.
func (p *prefetcher) run() {
	defer p.closeFetcher()
	for {
		d := p.w.walk.queue.NextDir(p.w.id, len(p.held) == 0)
		switch {
		case d != nil:
			p.prefetch(d)
		case len(p.held) > 0:
			p.deliver()
		default:
			return
		}
	}
}

func (p *prefetcher) closeFetcher() {
	if p.fetcher != nil {
		_ = p.fetcher.Close()
	}
}

// prefetch opens the files in the next part of d.
func (p *prefetcher) prefetch(d *dirs.Dir) {
	for b := p.w.explore(d); b != nil; {
		b = p.openPiece(b)
		if p.holds >= maxHeld {
			p.deliver()
		}
	}
}

// openPiece opens the first pieceSize files of b, and holds them. It returns the rest of b, or nil.
func (p *prefetcher) openPiece(b *queue.Batch) (rest *queue.Batch) {
	if rest = b.Split(pieceSize); rest != nil {
		b.Dir.Unfinished.Add(1)
		p.w.job.Handles.UseAgain(b.Dir)
	}
	b.OwnNames()
	for i := range b.Entries {
		p.open(b.Dir, &b.Entries[i])
	}
	p.held = append(p.held, b)
	p.holds += len(b.Entries) + 2
	return rest
}

// open opens a file to be fetched. It ignores errors: the worker that copies the file meets them
// again.
func (p *prefetcher) open(d *dirs.Dir, e *queue.Entry) {
	if e.Type != at.Regular || p.w.job.Opt.Make != option.MakeCopy || p.w.job.Opt.DryRun || p.w.walk.queue.Stopped() {
		return
	}
	fd, err := p.w.kernel.Open(d.SrcFD, e.Name, p.w.job.Opt.FollowsEntries(), e.Type)
	if err != nil {
		return
	}
	e.FD = fd
	if p.w.job.Content.Clones(d.CopyID.Dev, d.Stat.Dev) {
		return // the data will be shared, not read
	}
	if p.opened++; p.opened%sampleEvery == 0 || !p.canFetch() {
		// If the byte is not cached, the kernel begins to read.
		p.w.maker.Misses.Note(p.w.kernel.ReadCached(fd, p.sample[:]))
		return
	}
	p.fds = append(p.fds, fd)
}

// canFetch reports whether there is a fetcher, and opens its driver the first time.
func (p *prefetcher) canFetch() bool {
	if !p.tried {
		p.tried = true
		if p.w.walk.sys.NewDriver != nil {
			if drv := p.w.walk.sys.NewDriver(fetch.Depth); drv != nil {
				p.fetcher = fetch.New(drv)
			}
		}
	}
	return p.fetcher != nil
}

// deliver fetches the held files, and delivers their batches to the workers. If the page cache
// recently had all files, the tree is hot again.
func (p *prefetcher) deliver() {
	if len(p.fds) > 0 {
		if err := p.fetcher.Fetch(p.fds); err != nil {
			p.closeFetcher()
			p.fetcher = nil // workers read files that were not fetched
		}
	}
	p.w.walk.queue.Deliver(p.held)
	clear(p.held)
	p.held, p.holds, p.fds = p.held[:0], 0, p.fds[:0]
	hits := pace.HotAt
	if p.fetcher != nil {
		hits /= sampleEvery
	}
	if p.w.maker.Misses.Hot(hits) {
		p.w.maker.Misses = pace.CacheMisses{}
		p.w.walk.queue.SetCold(false)
	}
}
