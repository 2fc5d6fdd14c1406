package walk

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/attr"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// begin opens the source of d and makes its copy. It reports whether d is open and in use.
func (w *worker) begin(d *dirs.Dir) bool {
	w.maker.Hold.Begin()
	defer w.maker.Hold.End()
	err := w.job.Handles.Use(d.Up)
	if err != nil {
		w.job.Fail(d.Up.Up, d.Up.Name, d.Up.CopyName, err)
		return false
	}
	defer w.job.Handles.Release(d.Up)
	src, err := w.openSource(d)
	if err != nil {
		w.failBegin(d, err)
		return false
	}
	dst, err := w.makeCopy(d)
	if err != nil {
		_ = w.kernel.Close(src)
		if err != fs.SkipDir {
			w.failBegin(d, err)
		}
		return false
	}
	d.Entered = true
	w.job.Handles.Opened(d, src, dst)
	w.guard(d, func() { w.countDir(d) })
	return true
}

// failBegin reports the error of a directory that is not begun. The caller uses d.Up.
func (w *worker) failBegin(d *dirs.Dir, err error) {
	w.job.Fail(d.Up, d.Name, d.CopyName, w.maker.Denied(d.Up, d.Name, d.CopyName, d.Follow, err))
}

// countDir counts and reports a new directory.
func (w *worker) countDir(d *dirs.Dir) {
	what := report.MadeDir
	if d.Merged {
		what = report.Merged
	} else {
		w.maker.Counts.Dirs++
	}
	w.job.Report.Progress.Dirs.Add(1)
	if w.job.Report.OnDone != nil {
		w.job.Report.Done(report.Done{Dst: d.Dst(), Src: d.Src(), What: what})
	}
}

// openSource opens the source of d, unless it must not be copied.
func (w *worker) openSource(d *dirs.Dir) (int, error) {
	fd, err := w.kernel.OpenDir(d.Up.SrcFD, d.Name, d.Follow)
	if err != nil {
		return -1, fault.Source("opendir", err)
	}
	if err = fault.Source("fstat", w.kernel.Fstat(fd, &w.raw, &d.Stat)); err == nil {
		d.Leaf = w.leaf(d)
		err = fault.Source("copy", w.endless(d))
	}
	if err != nil {
		_ = w.kernel.Close(fd)
		return -1, err
	}
	return fd, nil
}

// leaf reports whether the entries of d are not copied.
func (w *worker) leaf(d *dirs.Dir) bool {
	if p := d.Up.Pair; p != nil {
		return p.Alone
	}
	return w.job.Opt.OneFileSystem && d.Stat.Dev != d.Up.Stat.Dev
}

// endless returns the reason why the copy of d would never end, or nil.
func (w *worker) endless(d *dirs.Dir) error {
	if d.Leaf {
		return nil
	}
	if slices.Contains(w.walk.above, d.Stat.ID) || w.job.Made.HasDir(d.Stat.ID) {
		return fault.ErrIntoItself
	}
	if w.job.Opt.Follow != option.FollowAll {
		return nil
	}
	for up := d.Up; up.Pair == nil; up = up.Up {
		if up.Stat.ID == d.Stat.ID {
			return fault.ErrCycle
		}
	}
	return nil
}

// makeCopy makes d's copy, or takes the existing directory, and opens it. It returns -1 if there is
// none (DryRun).
func (w *worker) makeCopy(d *dirs.Dir) (int, error) {
	if d.Up.Absent {
		d.Absent = true
		return -1, nil
	}
	if w.job.Opt.DryRun {
		return w.pretendCopy(d)
	}
	err := w.kernel.Mkdir(d.Up.DstFD, d.CopyName, w.maker.Attr.DirMode(&d.Stat))
	if d.Made = err == nil; !d.Made && !errors.Is(err, syscall.EEXIST) {
		return -1, fault.Dest("mkdir", err)
	}
	if !d.Made {
		err = w.checkMerge(d)
	}
	if err != nil {
		return -1, err
	}
	return w.openCopy(d)
}

// openCopy opens d's copy and records its properties.
func (w *worker) openCopy(d *dirs.Dir) (int, error) {
	fd, err := w.openMade(d)
	if err != nil {
		return -1, err
	}
	var s at.Stat
	err = fault.Dest("fstat", w.kernel.Fstat(fd, &w.raw, &s))
	if err == nil && !d.Made {
		err = w.walk.watch(s.Dev, fd, d)
	}
	if err == nil && d.Made && s.Mode&attr.OwnerPermissions != attr.OwnerPermissions {
		err = fault.Dest("chmod", w.letOwnerIn(d, at.File{FD: fd}, &s))
	}
	if err != nil {
		_ = w.kernel.Close(fd)
		return -1, err
	}
	d.CopyID, d.CopyMode = s.ID, s.Mode
	if d.Merged = !d.Made; d.Made {
		w.job.Made.AddDir(s.ID)
	}
	d.ACL = w.job.Opt.Preserve&option.PreserveMode != 0 && attr.GivesACL(w.kernel, fd)
	return fd, nil
}

// openMade opens d's copy. Its owner may not be allowed to open a new copy, because of the umask or
// an ACL of the parent directory.
func (w *worker) openMade(d *dirs.Dir) (int, error) {
	if !d.Made {
		fd, err := w.kernel.OpenCopy(d.Up.DstFD, d.CopyName, d.Through)
		return fd, fault.Dest("open", err)
	}
	fd, err := w.kernel.OpenMade(d.Up.DstFD, d.CopyName, d.Through)
	if errors.Is(err, syscall.EACCES) {
		var s at.Stat
		if err = w.kernel.Stat(d.Up.DstFD, d.CopyName, at.NoFollow, &s); err == nil {
			err = w.letOwnerIn(d, at.File{FD: d.Up.DstFD, Name: d.CopyName}, &s)
		}
		if err == nil {
			fd, err = w.kernel.OpenMade(d.Up.DstFD, d.CopyName, d.Through)
		}
	}
	return fd, fault.Dest("open", err)
}

// letOwnerIn gives the owner of a new directory all permissions until it is filled. s is its Stat.
func (w *worker) letOwnerIn(d *dirs.Dir, f at.File, s *at.Stat) error {
	d.AddedMode = attr.OwnerPermissions &^ s.Mode
	s.Mode |= attr.OwnerPermissions
	return w.kernel.Chmod(f, s.Mode&at.ModeBits)
}

// checkMerge returns an error if the existing file cannot be the copy of d.
func (w *worker) checkMerge(d *dirs.Dir) error {
	var s at.Stat
	if err := w.kernel.Stat(d.Up.DstFD, d.CopyName, d.Through, &s); err != nil {
		return fault.Dest("stat", err)
	}
	switch {
	case s.Type() != at.Directory && w.job.Opt.Follow == option.FollowNone && w.job.Opt.Make != option.MakeHardLink && w.leadsTo(d, d.Stat.ID):
		return fault.Source("copy", fault.ErrSameFile)
	case s.Type() != at.Directory:
		return fault.Dest("mkdir", fault.ErrNotDir)
	case s.ID == d.Stat.ID:
		return ontoItself(&w.job.Opt)
	}
	return nil
}

// ontoItself returns the error for a directory that would be copied onto itself. It is fs.SkipDir
// if nothing would happen to its entries: either all are linked already, or all are left.
func ontoItself(o *option.Options) error {
	if o.Make == option.MakeHardLink || o.Existing == option.Skip {
		return fs.SkipDir
	}
	return fault.Source("copy", fault.ErrSameFile)
}

// leadsTo reports whether d's copy is a symbolic link to that directory.
func (w *worker) leadsTo(d *dirs.Dir, dir at.ID) bool {
	var s at.Stat
	return w.kernel.Stat(d.Up.DstFD, d.CopyName, at.FollowsLinks, &s) == nil && s.ID == dir
}

// pretendCopy is makeCopy for DryRun.
func (w *worker) pretendCopy(d *dirs.Dir) (int, error) {
	var s at.Stat
	err := w.kernel.Stat(d.Up.DstFD, d.CopyName, d.Through, &s)
	if errors.Is(err, syscall.ENOENT) {
		d.Absent, d.Made = true, true
		return -1, nil
	}
	if err != nil {
		return -1, fault.Dest("stat", err)
	}
	if err := w.checkMerge(d); err != nil {
		return -1, err
	}
	return w.openCopy(d)
}
