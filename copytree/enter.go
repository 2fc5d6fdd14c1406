package copytree

import (
	"errors"
	"slices"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// start opens the source of d and makes its copy. It reports whether d is open,
// and in use.
func (w *worker) start(d *dir) bool {
	w.kernel.Hold = w.pace.hold()
	defer w.pace.done()
	err := w.handles.use(d.up)
	if err != nil {
		w.fail(d.up.up, d.up.name, d.up.copied, err)
		return false
	}
	defer w.handles.unuse(d.up)
	src, err := w.openSourceDir(d)
	if err != nil {
		w.fail(d.up, d.name, d.copied, err)
		return false
	}
	dst, err := w.makeCopy(d)
	if err != nil {
		_ = w.kernel.Close(src)
		w.fail(d.up, d.name, d.copied, err)
		return false
	}
	d.entered = true
	w.handles.opened(d, src, dst)
	w.dirDone(d)
	return true
}

// dirDone tells of a directory that is made.
func (w *worker) dirDone(d *dir) {
	what := MadeDir
	if d.merged {
		what = Merged
	} else {
		w.counts.Dirs++
	}
	w.report.live.Dirs.Add(1)
	if w.o.OnDone != nil {
		w.report.done(Done{Dst: d.dstPath(), Src: d.srcPath(), What: what})
	}
}

// openSourceDir opens what is to be read, unless it must not be.
func (w *worker) openSourceDir(d *dir) (int, error) {
	fd, err := w.kernel.OpenDir(d.up.src, d.name, d.follow)
	if err != nil {
		return -1, &fault{"opendir", source, err}
	}
	err = w.kernel.Fstat(fd, &w.raw, &d.stat)
	if err != nil {
		err = &fault{"fstat", source, err}
	} else {
		err = w.refuse(d)
	}
	if err != nil {
		_ = w.kernel.Close(fd)
		return -1, err
	}
	if d.up.root != nil {
		d.leaf = d.up.root.Alone
	} else {
		d.leaf = w.o.OneFileSystem && d.stat.Dev != d.up.stat.Dev
	}
	return fd, nil
}

// refuse tells why d must not be entered: it would be copied without end.
func (w *worker) refuse(d *dir) error {
	if slices.Contains(w.above, d.stat.ID) || w.made.hasDir(d.stat.ID) {
		return &fault{"copy", source, ErrIntoItself}
	}
	if w.o.Follow != FollowAll {
		return nil
	}
	for up := d.up; up.root == nil; up = up.up {
		if up.stat.ID == d.stat.ID {
			return &fault{"copy", source, ErrCycle}
		}
	}
	return nil
}

// makeCopy makes d's copy and opens it, or what is there. -1 is none.
func (w *worker) makeCopy(d *dir) (int, error) {
	if d.up.absent {
		d.absent = true
		return -1, nil
	}
	if w.o.DryRun {
		return w.wouldMake(d)
	}
	err := w.kernel.Mkdir(d.up.dst, d.copied, w.dirMode(d))
	if d.made = err == nil; !d.made && !errors.Is(err, syscall.EEXIST) {
		return -1, &fault{"mkdir", destination, err}
	}
	if !d.made {
		err = w.merge(d)
	}
	if err != nil {
		return -1, err
	}
	return w.openCopy(d)
}

// openCopy opens the directory that the copy is.
func (w *worker) openCopy(d *dir) (int, error) {
	fd, err := w.openMade(d)
	if err != nil {
		return -1, err
	}
	var s at.Stat
	if err = w.kernel.Fstat(fd, &w.raw, &s); err == nil && !d.made {
		err = w.watch(s.Dev, fd)
	}
	if err == nil && d.made && s.Mode&ownerAll != ownerAll {
		err = w.unlock(d, at.File{FD: fd}, &s)
	}
	if err != nil {
		_ = w.kernel.Close(fd)
		return -1, &fault{"fstat", destination, err}
	}
	d.copyID, d.copyMode = s.ID, s.Mode
	if d.merged = !d.made; d.made {
		w.made.addDir(s.ID)
	}
	d.acl = w.o.Preserve&PreserveMode != 0 && w.inherits(fd)
	return fd, nil
}

// openMade is the opening of openCopy. A directory that was just made may be closed to
// its owner, by the umask or by an ACL of the directory that it is in.
func (w *worker) openMade(d *dir) (int, error) {
	fd, err := w.kernel.OpenMade(d.up.dst, d.copied, d.enter)
	if d.made && errors.Is(err, syscall.EACCES) {
		var s at.Stat
		if err = w.kernel.Stat(d.up.dst, d.copied, at.NoFollow, &s); err == nil {
			err = w.unlock(d, at.File{FD: d.up.dst, Name: d.copied}, &s)
		}
		if err == nil {
			fd, err = w.kernel.OpenMade(d.up.dst, d.copied, d.enter)
		}
	}
	return fd, wrong("open", destination, err)
}

// unlock gives the owner of a directory that was just made, and has the mode in s, all
// permissions until all is in it.
func (w *worker) unlock(d *dir, f at.File, s *at.Stat) error {
	d.lent = ownerAll &^ s.Mode
	s.Mode |= ownerAll
	return w.kernel.Chmod(f, s.Mode&at.ModeBits)
}

// merge sees whether what is there already can be the copy of a directory.
func (w *worker) merge(d *dir) error {
	var s at.Stat
	if err := w.kernel.Stat(d.up.dst, d.copied, d.enter, &s); err != nil {
		return &fault{"stat", destination, err}
	}
	switch {
	case s.Type() != at.Directory:
		return &fault{"mkdir", destination, ErrNotDir}
	case s.ID == d.stat.ID:
		return &fault{"copy", source, ErrSameFile}
	}
	return nil
}

// wouldMake is makeCopy of a DryRun.
func (w *worker) wouldMake(d *dir) (int, error) {
	var s at.Stat
	err := w.kernel.Stat(d.up.dst, d.copied, d.enter, &s)
	if errors.Is(err, syscall.ENOENT) {
		d.absent, d.made = true, true
		return -1, nil
	}
	if err != nil {
		return -1, &fault{"stat", destination, err}
	}
	if err := w.merge(d); err != nil {
		return -1, err
	}
	return w.openCopy(d)
}
