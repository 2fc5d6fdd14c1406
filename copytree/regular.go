package copytree

import (
	"bytes"
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
	if err == nil {
		err = w.attributes(it)
	}
	if err == nil {
		err = w.note(it)
	}
	if e := w.closeCopy(it, err == nil); err == nil {
		err = e
	}
	if err != nil {
		w.removeHalf(it)
	}
	return err
}

// removeHalf removes what is not a copy. What was reached through a link is not
// in the directory, and a FIFO or device that was written to is no half of anything.
func (w *worker) removeHalf(it *item) {
	if it.fresh || it.over == at.Regular && !it.behind {
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

// small tells whether copySmall is the way to copy it: one block, without
// holes, and nothing asked for that package content is needed for.
func (w *worker) small(it *item) bool {
	return it.stat.Size <= smallFile && it.stat.Blocks*512 >= it.stat.Size && it.kind == at.Regular && contentKind(it.over) == content.Regular && w.plain
}

// copySmall copies a small file with one read and one write. It reports whether
// it has: if the file is not as long as it was, or has a block of zeros, which
// may be a hole in disguise (fallocate(2)), it has done nothing.
func (w *worker) copySmall(it *item) (bool, error) {
	n, c := w.kernel.ReadCached(it.fd, w.buf)
	w.noteCache(c)
	if c != at.CacheHit {
		var err error
		if n, err = w.kernel.Read(it.fd, w.buf, 0); err != nil {
			return false, &fault{"read", source, err}
		}
	}
	if int64(n) != it.stat.Size || blank(w.buf[:n]) {
		return false, nil
	}
	if n > 0 {
		if err := w.kernel.Write(it.out, w.buf[:n]); err != nil {
			return false, &fault{"write", destination, err}
		}
	}
	it.bytes = int64(n)
	return true, nil
}

// blank tells whether one of the 4 KiB blocks of b is all zeros.
func blank(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), len(zeros))
		if b[0] == 0 && bytes.Equal(b[:n], zeros[:n]) {
			return true
		}
		b = b[n:]
	}
	return false
}

var zeros [4096]byte

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
		}
	}
	return &fault{"open", destination, ErrChanged}
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
