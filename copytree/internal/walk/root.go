package walk

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// copyPair copies one Pair. w is the first worker.
func (t *Walk) copyPair(w *worker, p *option.Pair) {
	src, dst := dirs.Split(p.Src), dirs.Split(p.Dst)
	base, err := t.openBase(p, src, dst)
	if err != nil {
		t.job.Report.Fail(false, report.ErrorOf(fault.Of(err), p.Src, p.Dst))
		return
	}
	defer t.job.Handles.Retire(base)
	it := &w.item
	*it = item.Item{Dir: base, Src: src.Name, Dst: dst.Name, Root: true, SrcFD: -1, DstFD: -1, Through: at.FollowsLinks}
	it.Follow = at.Follow(t.job.Opt.Follow != option.FollowNone || src.Slash || p.Alone)
	if err := t.copyRoot(w, it, at.Follow(dst.Slash || p.Alone)); err != nil {
		t.job.Fail(base, it.Src, it.Dst, err)
	}
	if err := t.syncBase(base, dst); err != nil {
		t.job.Fail(base, it.Src, it.Dst, err)
	}
}

// openBase opens the directories to which the paths of a Pair are relative.
func (t *Walk) openBase(p *option.Pair, src, dst dirs.Path) (*dirs.Dir, error) {
	d, err := t.job.Handles.Base(p, src, dst)
	if err != nil {
		return nil, err
	}
	d.ACL = t.job.Opt.Preserve&option.PreserveMode != 0 && !t.job.Opt.DryRun
	if err := t.watch(d.CopyID.Dev, d.DstFD, durable.Path(dst.Dir)); err != nil {
		t.job.Handles.Close(t.sys.Kernel, d)
		return nil, err
	}
	return d, nil
}

// watch makes the end of the copy sync the file system dev. fd and dir are a directory on it.
func (t *Walk) watch(dev uint64, fd int, dir fmt.Stringer) error {
	if t.job.Syncer == nil {
		return nil
	}
	return fault.Dest("syncfs", t.job.Syncer.Watch(dev, fd, dir))
}

// syncsDirs reports whether directories get an fsync.
func (t *Walk) syncsDirs() bool {
	return t.job.Syncer != nil && t.job.Opt.Sync == option.SyncFiles
}

// syncBase makes the end of the copy sync the directory of a Pair's copy.
func (t *Walk) syncBase(d *dirs.Dir, dst dirs.Path) error {
	if !t.syncsDirs() || t.queue.Stopped() {
		return nil
	}
	fd, err := t.sys.Kernel.OpenMade(d.DstFD, at.Dot, at.NoFollow)
	if err != nil {
		return nil // it can be searched but not read; its file system is synced anyway
	}
	t.job.Sync(durable.File{FD: fd, Dir: durable.Path(dst.Dir)})
	return nil
}

// copyRoot copies the file or tree of a Pair. With through, a directory's copy may be at a
// symbolic link.
func (t *Walk) copyRoot(w *worker, it *item.Item, through at.Follow) error {
	if err := t.sys.Kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat); err != nil {
		return fault.Source("stat", err)
	}
	it.Type = it.Stat.Type()
	if it.Type != at.Directory {
		w.maker.Make(it)
		return nil
	}
	if t.job.Opt.Files && !it.Dir.Pair.Alone {
		return fault.Source("copy", fault.ErrDirectory)
	}
	switch err := t.checkPlace(it, through); err {
	case nil:
	case fs.SkipDir:
		return nil
	default:
		return err
	}
	d := it.Dir.Child(it.Src, it.Follow)
	d.CopyName, d.Through = slices.Clone(it.Dst), through
	t.copyTree(w, d)
	return nil
}

// checkPlace returns an error if a Pair would copy a directory onto itself, and sets t.above.
// through is as in copyRoot.
func (t *Walk) checkPlace(it *item.Item, through at.Follow) error {
	name := it.Dst
	var s at.Stat
	switch {
	case it.Dir.Absent:
		name = at.Dot // DryRun: the name there belongs to another directory
	case t.sys.Kernel.Stat(it.Dir.DstFD, name, through, &s) != nil:
	case s.ID == it.Stat.ID:
		return ontoItself(&t.job.Opt)
	case s.Type() != at.Directory:
		return nil // the copy is refused anyway
	}
	above, err := t.sys.Kernel.Ancestors(it.Dir.DstFD, name, through)
	if err != nil {
		return fault.Dest("open", err)
	}
	if t.job.Opt.OneFileSystem {
		above = sameDevice(above)
	}
	t.above = above
	return nil
}

// sameDevice returns the first directories of above that are on the first one's file system. With
// OneFileSystem a source further up does not lead to the first one, because the walk enters no
// other file system.
func sameDevice(above []at.ID) []at.ID {
	other := slices.IndexFunc(above, func(id at.ID) bool { return id.Dev != above[0].Dev })
	if other < 0 {
		return above
	}
	return above[:other]
}

// copyTree copies a directory with all its entries. w, the first worker, starts the other workers
// and waits for them.
func (t *Walk) copyTree(w *worker, d *dirs.Dir) {
	t.queue.Start(d)
	w.pool = &pool{walk: t}
	defer t.endTree(w) // also if a function of the caller panics
	w.pool.start()
	w.work()
}

// endTree waits for the other workers, and closes the rest.
func (t *Walk) endTree(w *worker) {
	w.pool.wait(&w.maker.Counts)
	w.pool = nil
	t.closeAbandoned(w)
}

// closeAbandoned closes everything that a stopped copy has left open.
func (t *Walk) closeAbandoned(w *worker) {
	delivered, waiting := t.queue.Abandon()
	for _, b := range delivered {
		w.copyBatch(b) // only closes the files, because the copy is stopped
	}
	for _, d := range waiting {
		w.unblock(d)
	}
	t.job.Handles.CloseIdle()
}
