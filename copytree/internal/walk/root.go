package walk

import (
	"fmt"
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
func (j *Job) copyPair(w *worker, p *dirs.Pair) {
	src, dst := dirs.Split(p.Src), dirs.Split(p.Dst)
	base, err := j.openBase(p, src, dst)
	if err != nil {
		j.Report.Fail(false, report.ErrorOf(fault.Of(err), p.Src, p.Dst))
		return
	}
	defer j.Handles.Retire(base)
	it := &w.item
	*it = item.Item{Dir: base, Src: src.Name, Dst: dst.Name, Root: true, SrcFD: -1, DstFD: -1, Through: at.FollowsLinks}
	it.Follow = at.Follow(j.Opt.Follow != option.FollowNone || src.Slash)
	if err := j.copyRoot(w, it, at.Follow(dst.Slash)); err != nil {
		j.Fail(base, it.Src, it.Dst, err)
	}
	if err := j.syncBase(base, dst); err != nil {
		j.Fail(base, it.Src, it.Dst, err)
	}
}

// openBase opens the directories that the paths of a Pair are relative to.
func (j *Job) openBase(p *dirs.Pair, src, dst dirs.Path) (*dirs.Dir, error) {
	d, err := j.Handles.Base(p, src, dst)
	if err != nil {
		return nil, err
	}
	d.ACL = j.Opt.Preserve&option.PreserveMode != 0 && !j.Opt.DryRun
	if err := j.watch(d.CopyID.Dev, d.DstFD, durable.Path(dst.Dir)); err != nil {
		j.Handles.Close(j.kernel, d)
		return nil, err
	}
	return d, nil
}

// watch has the file system dev synced in the end, which the directory fd, dir, is on.
func (j *Job) watch(dev uint64, fd int, dir fmt.Stringer) error {
	if j.Syncer == nil {
		return nil
	}
	return fault.Dest("open", j.Syncer.Watch(dev, fd, dir))
}

// syncBase has the directory synced that a Pair's copy is in.
func (j *Job) syncBase(d *dirs.Dir, dst dirs.Path) error {
	if j.Syncer == nil || j.Opt.Sync != option.SyncFiles || j.queue.Stopped() {
		return nil
	}
	fd, err := j.kernel.OpenMade(d.DstFD, at.Dot, at.NoFollow)
	if err != nil {
		return nil // the directory can be searched and not be read; its file system is synced anyway
	}
	j.Sync(durable.File{FD: fd, Dir: durable.Path(dst.Dir)})
	return nil
}

// copyRoot copies the file or tree that a Pair is about. through is whether the
// path of a directory's copy may be a symbolic link.
func (j *Job) copyRoot(w *worker, it *item.Item, through at.Follow) error {
	if err := j.kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat); err != nil {
		return fault.Source("stat", err)
	}
	it.Type = it.Stat.Type()
	if it.Type != at.Directory {
		w.Copy(it)
		return nil
	}
	if j.Opt.Files && !it.Dir.Pair.Alone {
		return fault.Source("copy", fault.ErrDirectory)
	}
	above, err := j.kernel.Ancestors(it.Dir.DstFD)
	if err != nil {
		return fault.Dest("open", err)
	}
	j.above = above
	d := it.Dir.Child(it.Src, it.Follow)
	d.CopyName, d.Through = slices.Clone(it.Dst), through
	j.copyTree(w, d)
	return nil
}

// copyTree copies a directory and everything in it. w, the first worker, starts the
// others and waits for them.
func (j *Job) copyTree(w *worker, d *dirs.Dir) {
	j.queue.Start(d)
	w.pool = &pool{job: j}
	defer j.endTree(w) // also if a function of the caller panics
	w.pool.start()
	w.work()
}

// endTree waits for the other workers, and closes what they have left.
func (j *Job) endTree(w *worker) {
	w.pool.wait(&w.Counts)
	w.pool = nil
	j.closeAbandoned(w)
}

// closeAbandoned closes what a copy that was stopped has left open.
func (j *Job) closeAbandoned(w *worker) {
	delivered, waiting := j.queue.Abandon()
	for _, b := range delivered {
		w.copyBatch(b) // which only closes the files, as the copy is stopped
	}
	for _, d := range waiting {
		w.unblock(d)
	}
	j.Handles.CloseIdle()
}
