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
	free    // there is nothing any more
	replace // a link takes its place in one step: it may be what the source leads to
	through // a file is made where the symbolic link leads that is there
)

// place decides what becomes of what is at the copy's place, and makes room.
func (w *worker) place(it *item) (placing, error) {
	var s at.Stat
	err := w.kernel.Stat(it.in.dst, it.dst, at.NoFollow, &s)
	again := err == nil && w.madeBefore(it, s.ID)
	if err == nil && s.Type() == at.Symlink && bool(it.through) {
		err = w.behind(it, &s)
	}
	switch {
	case errors.Is(err, syscall.ENOENT):
		return free, nil
	case errors.Is(err, ErrDangling) && again:
		return leave, &fault{"open", destination, ErrThrough}
	case errors.Is(err, ErrDangling) && w.o.WriteDangling:
		return through, nil
	case err != nil:
		return leave, wrong("stat", destination, err)
	case w.o.Existing == Skip:
		return leave, nil
	}
	like := w.sameFile(it, &s)
	if like == same {
		return leave, &fault{"copy", source, ErrSameFile}
	}
	if keep, err := w.keeps(it, &s); keep || err != nil || like == asIs {
		it.alike = s.Type() == it.kind
		return leave, err
	}
	if err := w.refusePlace(it, &s, again); err != nil {
		return leave, err
	}
	return w.makeRoom(it, &s)
}

// behind sees what the link leads to that the user has named.
func (w *worker) behind(it *item, s *at.Stat) error {
	if w.o.Unlink || w.o.Backup != nil || !w.reads(it) || w.linking() {
		return nil // the link itself is replaced
	}
	err := w.kernel.Stat(it.in.dst, it.dst, at.FollowsLinks, s)
	if errors.Is(err, syscall.ENOENT) {
		return ErrDangling
	}
	it.behind = true
	return err
}

// refusePlace tells why what is there must not be touched. Again says that another pair
// has made it.
func (w *worker) refusePlace(it *item, s *at.Stat, again bool) error {
	switch {
	case again && it.behind:
		return &fault{"open", destination, ErrThrough}
	case again && s.Type() != at.Directory && !w.o.NumberedBackup:
		return &fault{"open", destination, ErrTwice}
	case s.Type() == at.Directory:
		return &fault{"open", destination, ErrIsDir}
	}
	return nil
}

// keeps tells whether the options say to leave what is there.
func (w *worker) keeps(it *item, s *at.Stat) (bool, error) {
	switch {
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

// leaves tells whether a source that cannot be opened need not be, as what is at
// the place of its copy is left.
func (w *worker) leaves(it *item) bool {
	var s at.Stat
	if w.o.Existing != Skip && w.o.Existing != Older || w.kernel.Stat(it.in.src, it.src, it.follow, &it.stat) != nil ||
		w.kernel.Stat(it.in.dst, it.dst, it.through, &s) != nil {
		return false
	}
	return w.o.Existing == Skip || s.ID != it.stat.ID && !s.Mtime.Before(it.stat.Mtime)
}

// linking tells whether links to the source are made, which replace what is
// there only if that is said (cp -lf, -sf).
func (w *worker) linking() bool { return w.o.Make == MakeHardLink || w.o.Make == MakeSymlink }

// followsNothing tells whether it would be copied as a symbolic link if it were one.
func (w *worker) followsNothing(it *item) bool {
	return w.o.Follow == FollowNone || w.o.Follow == FollowArguments && it.batch != nil
}

// makingCall is the system call that makes it, where that fails as something is
// there; "" if the copy is written to what is there, or takes its place: links do
// with Force, or when the user was asked. All but regular files also do where no
// links are followed.
func (w *worker) makingCall(it *item) string {
	mayLink := w.o.Force || w.o.Ask != nil
	switch {
	case w.o.Make == MakeHardLink && !mayLink:
		return "link"
	case w.o.Make == MakeSymlink && !mayLink, !w.linking() && it.kind == at.Symlink && !w.o.Force:
		return "symlink"
	case w.linking(), it.kind == at.Symlink, w.reads(it):
		return ""
	}
	return it.mknod()
}

// makeRoom removes or renames what is there, if it is not to be overwritten.
func (w *worker) makeRoom(it *item, s *at.Stat) (placing, error) {
	if w.o.Backup != nil {
		if done, err := w.backUp(it); done || err != nil {
			return free, err
		}
	}
	replaces := it.kind != at.Regular && w.followsNothing(it) && w.o.Make != MakeAttributes
	if op := w.makingCall(it); op != "" && !replaces && !w.o.Unlink {
		return leave, &fault{op, destination, syscall.EEXIST}
	}
	inPlace := w.reads(it) && !replaces && it.what != Linked && !w.linking() && !w.o.Unlink && w.ownData(it, s)
	if inPlace && (s.Type() == at.Regular || bool(it.through) && s.Type() != at.Symlink) {
		it.over = s.Type()
		return overwrite, nil
	}
	if w.linking() && !w.o.Unlink {
		return replace, nil
	}
	it.removed = true
	return free, w.unlink(it)
}

// ownData reports whether the file that is there can be written to: its other names are
// no copies of the source, nor is it by one of them the copy of another file.
func (w *worker) ownData(it *item, s *at.Stat) bool {
	if s.Nlink < 2 || w.o.Make == MakeAttributes {
		return true
	}
	return w.o.Preserve&PreserveLinks == 0 && w.made.claim(s.ID, it.spot())
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
	if filepath.Dir(to) != filepath.Dir(it.in.dstOf(it.dst)) {
		return false, &fault{"rename", destination, ErrElsewhere}
	}
	if !w.o.DryRun {
		err = w.kernel.Rename(it.in.dst, it.dst, at.NameOf(filepath.Base(to)))
	}
	if err == nil {
		it.backup = to
	}
	return true, wrong("rename", destination, err)
}

// restore gives a file its name back that was renamed for a copy which failed.
func (w *worker) restore(it *item) {
	var s at.Stat
	if it.backup == "" || w.o.DryRun || !errors.Is(w.kernel.Stat(it.in.dst, it.dst, at.NoFollow, &s), syscall.ENOENT) {
		return
	}
	_ = w.kernel.Rename(it.in.dst, at.NameOf(filepath.Base(it.backup)), it.dst)
}

// overwrite opens what is there, and makes it empty.
func (w *worker) overwrite(it *item) (err error) {
	if w.o.Verify && streams(it.over) {
		return &fault{"verify", destination, ErrStream}
	}
	it.out, err = w.openThere(it)
	if err != nil && w.o.Force && !errors.Is(err, syscall.ENOSPC) && w.ctx.Err() == nil {
		it.removed, it.over = true, at.Unknown
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
