package copytree

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
)

// item is what a worker is copying: anything but a directory.
type item struct {
	in       *dir // in use
	src, dst at.Name
	kind     at.Type
	follow   at.Follow // whether src may be a symbolic link to what is copied
	// through says that a symbolic link that stands at dst is followed: only
	// the path that the user has named is, as by cp. What else is found in the
	// destination is replaced, so that nobody can have a copy overwrite files
	// elsewhere.
	through at.Follow
	batch   *batch // it is part of; nil for a root

	stat    at.Stat // of the source
	fd, out int     // the source, and the copy; -1: not open
	fresh   bool    // the copy was made, not overwritten
	over    at.Type // what is overwritten; Unknown if nothing is
	behind  bool    // and it is what a symbolic link leads to
	kept    bool    // it is copied, but attributes were refused: an error after which it stays

	begun   time.Time // if somebody wants to know
	what    What
	bytes   int64
	told    int64 // of bytes, what Progress had before it was done
	holes   int64
	backup  string
	removed bool
	alike   bool // what was left is of the same kind
}

// file names the copy for calls that set attributes.
func (it *item) file() at.File {
	if it.out >= 0 {
		return at.File{FD: it.out}
	}
	return at.File{FD: it.in.dst, Name: it.dst}
}

// source names the source for calls that get them.
func (it *item) source() at.File {
	if it.fd >= 0 {
		return at.File{FD: it.fd}
	}
	return at.File{FD: it.in.src, Name: it.src}
}

// found counts it for who watches.
func (w *worker) found(it *item) {
	if w.o.Progress == nil {
		return
	}
	w.report.live.Found.Add(1)
	if w.seen%currentEvery == 0 {
		w.current(it)
	}
	w.seen++
}

// currentEvery is after how many files, besides the first and each large one, Progress.Current
// is brought up to date: a path takes longer to make than a millionth of a
// second, and nobody can read so many.
const currentEvery = 32

// current notes it as what was begun last.
func (w *worker) current(it *item) {
	if w.o.Progress != nil {
		path := it.in.srcOf(it.src)
		w.report.live.current.Store(&path)
	}
}

// count notes what became of it.
func (w *worker) count(it *item) {
	c := &w.counts
	switch it.what {
	case Cloned:
		c.Cloned++
		c.Files++
	case Copied:
		c.Files++
	case Linked:
		c.Links++
	case Symlinked:
		c.Symlinks++
	case MadeSpecial:
		c.Specials++
	case Skipped:
		c.Skipped++
	}
	c.Bytes += it.bytes
	c.Holes += it.holes
	if w.o.Verify && w.reads(it) && (it.what == Copied || it.what == Cloned) && w.o.Make == MakeCopy && !w.o.DryRun {
		c.Verified++
	}
	if live := w.o.Progress; live != nil {
		live.Files.Add(1)
		live.Bytes.Add(it.bytes - it.told)
	}
	if w.o.OnDone != nil {
		w.report.done(Done{
			Dst: it.in.dstOf(it.dst), Src: it.in.srcOf(it.src), What: it.what, Bytes: it.bytes,
			Took: time.Since(it.begun), Backup: it.backup, Removed: it.removed,
		})
	}
}

// add adds what another worker has counted.
func (r *Result) add(c *Result) {
	r.Files += c.Files
	r.Dirs += c.Dirs
	r.Symlinks += c.Symlinks
	r.Links += c.Links
	r.Specials += c.Specials
	r.Skipped += c.Skipped
	r.Cloned += c.Cloned
	r.Bytes += c.Bytes
	r.Holes += c.Holes
	r.Verified += c.Verified
}

// took notes what package content did.
func (it *item) took(r content.Result) {
	it.bytes, it.holes = r.Bytes, r.Holes
	if r.How == content.Cloned {
		it.what = Cloned
	} else {
		it.told = r.Bytes
	}
}

// copyKind copies it, by what kind of file it is.
func (w *worker) copyKind(it *item) error {
	switch {
	case it.in.absent: // DryRun, in a directory that would have been made
		return w.pretend(it)
	case it.kind == at.Regular && w.o.Make == MakeCopy && !w.o.DryRun:
		return w.copyRegular(it)
	}
	if err := w.kernel.Stat(it.in.src, it.src, it.follow, &it.stat); err != nil {
		return &fault{"stat", source, err}
	}
	it.kind = it.stat.Type()
	switch {
	case it.kind == at.Directory:
		return &fault{"copy", source, ErrChanged}
	case w.o.DryRun:
		return w.pretend(it)
	case w.o.Make == MakeHardLink:
		return w.linkSource(it)
	case w.o.Make == MakeSymlink:
		return w.linkPath(it)
	case w.reads(it):
		return w.copyRegular(it)
	}
	return w.linkedOr(it, w.copySpecial)
}

// reads tells whether it is its content that is copied.
func (w *worker) reads(it *item) bool {
	return it.kind == at.Regular || w.o.CopyContents && it.kind != at.Symlink
}
