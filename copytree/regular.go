package copytree

import (
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
)

// copyRegular copies what has content.
func (w *worker) copyRegular(it *item) error {
	if w.o.Verify && streams(it.kind) {
		return &fault{"verify", source, ErrStream}
	}
	if err := w.openSource(it); err != nil {
		if w.leaves(it) {
			it.what = Skipped
			return nil
		}
		return err
	}
	defer w.closeSource(it)
	if err := w.kernel.Fstat(it.fd, &w.raw, &it.stat); err != nil {
		return &fault{"fstat", source, err}
	}
	if it.stat.Type() != at.Regular && !w.o.CopyContents {
		// Somebody has put something else there, which may have no end.
		return &fault{"open", source, ErrChanged}
	}
	if it.stat.Type() == at.FIFO {
		if err := w.awaitWriter(it); err != nil {
			return err
		}
	}
	w.report.live.FoundBytes.Add(it.stat.Size)
	return w.linkedOr(it, w.copyOpen)
}

// openSource opens the source, unless a scout has.
func (w *worker) openSource(it *item) (err error) {
	if it.fd >= 0 {
		return nil
	}
	if it.kind != at.Regular {
		w.kernel.Hold = w.pace.large() // until a device is ready, or somebody writes to a FIFO
	} else if !it.follow {
		fd, c := w.kernel.OpenCached(it.in.src, it.src)
		w.noteCache(c)
		if c == at.CacheHit {
			it.fd = fd
			return nil
		}
	}
	if it.fd, err = w.kernel.Open(it.in.src, it.src, it.follow, it.kind); err != nil {
		return &fault{"open", source, err}
	}
	return nil
}

func (w *worker) closeSource(it *item) {
	_ = w.kernel.Close(it.fd)
	it.fd = -1
}

// copyOpen makes the copy of what is open.
func (w *worker) copyOpen(it *item) error {
	err := w.create(it)
	if err != nil || it.out < 0 {
		return err
	}
	if w.o.Make != MakeAttributes {
		err = w.fill(it)
	}
	var refused error
	if err == nil {
		refused = w.attributes(it)
	}
	if e := w.closeCopy(it, err == nil); err == nil {
		err = e
	}
	if err != nil {
		w.removeHalf(it)
		return err
	}
	return w.keep(it, refused)
}

// keep ends the copy of a file that is copied, to which attributes may have been
// refused. It stays all the same. If what was there has a backup, that one gets its
// name back, as with GNU cp, unless it is a special file that was made.
func (w *worker) keep(it *item, refused error) error {
	if refused != nil && it.backup != "" && it.what != MadeSpecial {
		w.removeHalf(it)
		return refused
	}
	it.kept = refused != nil
	w.note(it)
	return refused
}

// removeHalf removes what is not a copy. What was reached through a link is not
// in the directory, and a FIFO or device that was written to is no half of anything.
// A file that was there, and of which only attributes are copied, has its own data.
func (w *worker) removeHalf(it *item) {
	written := it.over == at.Regular && w.o.Make != MakeAttributes
	if (it.fresh || written) && !it.behind {
		_ = w.kernel.Unlink(it.in.dst, it.dst)
	}
}

// fill copies the content.
func (w *worker) fill(it *item) error {
	if w.small(it) {
		done, err := w.copySmall(it)
		if done || err != nil {
			return err
		}
	} else if it.stat.Size > smallFile {
		w.waits()
		w.share(it)
		w.current(it)
	}
	if !w.pace.holds && it.stat.Size > smallFile {
		w.queue.beginLarge()
		defer w.queue.endLarge()
	}
	w.kernel.Hold = w.pace.large()
	r, err := w.copier.Copy(w.ctx,
		content.File{FD: it.out, Kind: contentKind(it.over), Dev: it.in.copyID.Dev, Lazy: w.pace.holds && w.syncer == nil},
		content.File{FD: it.fd, Kind: contentKind(it.stat.Type()), Size: it.stat.Size, Blocks: it.stat.Blocks, Dev: it.stat.Dev})
	it.took(r)
	if err != nil {
		return faultOf(err)
	}
	return nil
}

// share has other workers help with the rest of its batch: large files take
// long enough, and do not wait for each other as the making of small files in
// one directory does.
func (w *worker) share(it *item) {
	b := it.batch
	if b == nil || b.shared || b.empty() || w.queue.workers == 1 {
		return
	}
	if b.ahead == 0 { // or else it has its own
		b.keep()
	}
	b.shared = true
	w.queue.offer(b)
}

// create makes the copy, empty, or opens what is there for it. If that is to be
// left alone, nothing is open afterwards.
func (w *worker) create(it *item) (err error) {
	for range placeAttempts {
		it.out, err = w.kernel.Create(it.in.dst, it.dst, w.fileMode(it), w.access)
		if err == nil {
			it.fresh = true
			return nil
		}
		if !errors.Is(err, syscall.EEXIST) {
			return &fault{"open", destination, err}
		}
		p, err := w.place(it)
		switch {
		case err != nil:
			return err
		case p == leave:
			it.what = Skipped
			return nil
		case p == overwrite:
			return w.overwrite(it)
		case p == through:
			return w.createThrough(it)
		}
	}
	return &fault{"open", destination, ErrChanged}
}

// createThrough makes the copy where the symbolic link leads that stands in its place.
func (w *worker) createThrough(it *item) (err error) {
	o := at.Opening{Access: w.access, Create: true, Mode: w.fileMode(it)}
	it.out, err = w.kernel.Overwrite(it.in.dst, it.dst, at.FollowsLinks, o)
	it.fresh, it.behind = true, true
	return wrong("open", destination, err)
}

// placeAttempts is how often it is tried to make something where somebody else
// makes it at the same time.
const placeAttempts = 8

// closeCopy closes the copy, or hands it to be synced.
func (w *worker) closeCopy(it *item, good bool) error {
	fd := it.out
	it.out = -1
	if good && w.syncer != nil && w.o.Sync == SyncFiles && !streams(it.over) {
		w.addSync(it.in, it.dst, fd)
		return nil
	}
	return wrong("close", destination, w.kernel.Close(fd))
}
