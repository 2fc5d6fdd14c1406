package copytree

import (
	"errors"
	"path/filepath"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// placing is what is done with what is there already.
type placing uint8

const (
	leave placing = iota
	overwrite
	free // there is nothing any more
)

// place decides what becomes of what is at the copy's place, and makes room.
func (w *worker) place(it *item) (placing, error) {
	var s at.Stat
	err := w.kernel.Stat(it.in.dst, it.dst, at.NoFollow, &s)
	if err == nil && s.Type() == at.Symlink && bool(it.through) {
		err = w.behind(it, &s)
	}
	if errors.Is(err, syscall.ENOENT) {
		return free, nil
	}
	if err != nil {
		return leave, wrong("stat", destination, err)
	}
	if w.o.Make == MakeHardLink && s.ID == it.stat.ID {
		return leave, nil // the link that is to be made
	}
	if s.ID == it.stat.ID && (!w.o.Unlink || w.sameName(it)) || w.leadsTo(it, &s) {
		return leave, &fault{"copy", source, ErrSameFile}
	}
	if keep, err := w.keeps(it, &s); keep || err != nil {
		it.alike = s.Type() == it.kind
		return leave, err
	}
	if err := w.refusePlace(it, &s); err != nil {
		return leave, err
	}
	return w.makeRoom(it, &s)
}

// behind sees what the link leads to that the user has named.
func (w *worker) behind(it *item, s *at.Stat) error {
	if w.o.Unlink || it.kind == at.Symlink || w.linking() {
		return nil // the link itself is replaced
	}
	err := w.kernel.Stat(it.in.dst, it.dst, at.FollowsLinks, s)
	if errors.Is(err, syscall.ENOENT) {
		return ErrDangling
	}
	return err
}

// refusePlace tells why what is there must not be touched.
func (w *worker) refusePlace(it *item, s *at.Stat) error {
	switch {
	case s.Type() == at.Directory:
		return &fault{"open", destination, ErrIsDir}
	case it.in.made || w.made.hasFile(s.ID):
		return &fault{"open", destination, ErrTwice}
	}
	return nil
}

// leadsTo tells whether the source is a symbolic link to what is there, which
// it would replace: the only file of the two would be lost.
func (w *worker) leadsTo(it *item, s *at.Stat) bool {
	if it.kind != at.Symlink || s.Type() == at.Symlink || w.o.Backup != nil || w.linking() {
		return false
	}
	var end at.Stat
	return w.kernel.Stat(it.in.src, it.src, at.FollowsLinks, &end) == nil && end.ID == s.ID
}

// sameName tells whether source and destination are one name in one directory.
func (w *worker) sameName(it *item) bool {
	return it.in.stat.ID == it.in.copyID && string(it.src) == string(it.dst)
}

// keeps tells whether the options say to leave what is there.
func (w *worker) keeps(it *item, s *at.Stat) (bool, error) {
	switch {
	case w.o.Existing == Skip:
		return true, nil
	case w.o.Existing == SkipFail:
		return true, &fault{"open", destination, ErrExists}
	case w.o.Existing == Older && !s.Mtime.Before(it.stat.Mtime):
		return true, nil
	case w.o.Resume && s.Type() == it.kind && s.Size == it.stat.Size && s.Mtime == it.stat.Mtime:
		return true, nil
	case w.o.DryRun || w.o.Ask == nil:
		return false, nil
	}
	w.report.mu.Lock()
	defer w.report.mu.Unlock()
	return !w.o.Ask(it.in.dstOf(it.dst)), nil
}

// linking tells whether links to the source are made, which replace what is
// there only if that is said (cp -lf, -sf).
func (w *worker) linking() bool { return w.o.Make == MakeHardLink || w.o.Make == MakeSymlink }

// linkCalls are the system calls that make them.
var linkCalls = map[Make]string{MakeHardLink: "link", MakeSymlink: "symlink"}

// makeRoom removes or renames what is there, if it is not to be overwritten.
func (w *worker) makeRoom(it *item, s *at.Stat) (placing, error) {
	if w.o.Backup != nil {
		if done, err := w.backUp(it); done || err != nil {
			return free, err
		}
	}
	if w.linking() && !w.o.Unlink && w.o.Ask == nil {
		return leave, &fault{linkCalls[w.o.Make], destination, syscall.EEXIST}
	}
	inPlace := it.kind == at.Regular && it.what != Linked && !w.linking() && !w.o.Unlink
	if w.o.Preserve&PreserveLinks != 0 && s.Nlink > 1 {
		inPlace = false // its other names are no copies
	}
	if inPlace && s.Nlink > 1 && !w.made.claim(s.ID) {
		inPlace = false // it is by another of its names the copy of another file
	}
	if inPlace && (s.Type() == at.Regular || bool(it.through) && s.Type() != at.Symlink) {
		return overwrite, nil
	}
	it.removed = w.o.Unlink
	return free, w.unlink(it)
}

func (w *worker) unlink(it *item) error {
	if w.o.DryRun {
		return nil
	}
	err := w.kernel.Unlink(it.in.dst, it.dst)
	if errors.Is(err, syscall.ENOENT) {
		err = nil
	}
	return wrong("unlink", destination, err)
}

// backUp renames what is there.
func (w *worker) backUp(it *item) (done bool, err error) {
	w.report.mu.Lock()
	defer w.report.mu.Unlock()
	to, err := w.o.Backup(it.in.dstOf(it.dst))
	if err != nil || to == "" {
		return false, wrong("rename", destination, err)
	}
	it.backup = to
	if filepath.Dir(to) != filepath.Dir(it.in.dstOf(it.dst)) {
		return false, &fault{"rename", destination, ErrElsewhere}
	}
	if w.o.DryRun {
		return true, nil
	}
	return true, wrong("rename", destination, w.kernel.Rename(it.in.dst, it.dst, at.NameOf(filepath.Base(to))))
}

// overwrite opens what is there, and makes it empty.
func (w *worker) overwrite(it *item) (err error) {
	it.out, err = w.kernel.Overwrite(it.in.dst, it.dst, it.through, w.access, w.o.Make != MakeAttributes)
	if err != nil && w.o.Force && !errors.Is(err, syscall.ENOSPC) {
		it.removed = true
		if err := w.unlink(it); err != nil {
			return err
		}
		it.out, err = w.kernel.Create(it.in.dst, it.dst, w.fileMode(it), w.access)
		it.fresh = err == nil
	}
	return wrong("open", destination, err)
}

// pretend says what would be done.
func (w *worker) pretend(it *item) error {
	if it.in.absent {
		if err := w.kernel.Stat(it.in.src, it.src, it.follow, &it.stat); err != nil {
			return &fault{"stat", source, err}
		}
		it.kind = it.stat.Type()
	} else {
		p, err := w.place(it)
		if err != nil {
			return err
		}
		if p == leave {
			it.what = Skipped
			return nil
		}
	}
	it.what = w.would(it)
	if it.what == Copied {
		it.bytes = it.stat.Size
	}
	return nil
}

// would is what is done with it.
func (w *worker) would(it *item) What {
	switch {
	case w.o.Make == MakeHardLink:
		return Linked
	case w.o.Make == MakeSymlink, it.kind == at.Symlink:
		return Symlinked
	case it.kind != at.Regular && !w.o.CopyContents:
		return MadeSpecial
	}
	return Copied
}
