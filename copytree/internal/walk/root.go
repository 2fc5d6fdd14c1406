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
	it.Follow = at.Follow(j.Opt.Follow != option.FollowNone || src.Slash || p.Alone)
	if err := j.copyRoot(w, it, at.Follow(dst.Slash || p.Alone)); err != nil {
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
	switch err := j.checkPlace(it, through); err {
	case nil:
	case fs.SkipDir:
		return nil
	default:
		return err
	}
	d := it.Dir.Child(it.Src, it.Follow)
	d.CopyName, d.Through = slices.Clone(it.Dst), through
	j.copyTree(w, d)
	return nil
}

// checkPlace returns an error if a Pair would copy a directory onto itself, and sets j.above. through is as for copyRoot.
func (j *Job) checkPlace(it *item.Item, through at.Follow) error {
	name := it.Dst
	var s at.Stat
	switch {
	case it.Dir.Absent:
		name = at.Dot // DryRun: what has the name there is in another directory
	case j.kernel.Stat(it.Dir.DstFD, name, through, &s) != nil:
	case s.ID == it.Stat.ID:
		return ontoItself(&j.Opt)
	case s.Type() != at.Directory:
		return nil // which is refused: nothing is copied
	}
	above, err := j.kernel.Ancestors(it.Dir.DstFD, name, through)
	if err != nil {
		return fault.Dest("open", err)
	}
	if j.Opt.OneFileSystem {
		above = sameDevice(above)
	}
	j.above = above
	return nil
}

// sameDevice returns the beginning of above, a directory and those above it: the ones on the first one's file system. With
// OneFileSystem a source that is further up does not lead to the first one, because the walk enters no other file system.
func sameDevice(above []at.ID) []at.ID {
	other := slices.IndexFunc(above, func(id at.ID) bool { return id.Dev != above[0].Dev })
	if other < 0 {
		return above
	}
	return above[:other]
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
