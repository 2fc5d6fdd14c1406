package walk

import (
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/attr"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// finish gives d's copy its metadata after all its entries, and closes d.
func (w *worker) finish(d *dirs.Dir) {
	if !d.Entered {
		return
	}
	if err := w.finishCopy(d); err != nil {
		w.job.Fail(d.Up, d.Name, d.CopyName, err)
	}
	w.job.Handles.Close(w.kernel, d)
}

func (w *worker) finishCopy(d *dirs.Dir) error {
	if d.Absent || w.job.Opt.DryRun {
		return nil
	}
	if w.walk.queue.Stopped() {
		return w.leaveIncomplete(d)
	}
	f := attr.File{Stat: &d.Stat, Existed: d.Merged, MayACL: d.Merged || d.Up.ACL}
	if !d.Merged {
		f.Mode = w.finalMode(d)
		f.SetMode = f.Mode != d.CopyMode&at.ModeBits
	}
	if w.job.Opt.Preserve&option.PreserveAll == 0 && !f.SetMode && !w.walk.syncsDirs() {
		return nil
	}
	if err := w.job.Handles.Use(d); err != nil {
		return err
	}
	defer w.job.Handles.Release(d)
	// d's final mode may not allow to open the parent, or d itself.
	w.job.Handles.OpenParent(d)
	toSync, err := w.openToSync(d)
	f.Src, f.Dst = at.File{FD: d.SrcFD}, at.File{FD: d.DstFD}
	refused := w.maker.Attr.Set(&f)
	if toSync >= 0 {
		w.job.Sync(durable.File{FD: toSync, Dir: d})
	}
	return errors.Join(refused, err)
}

// openToSync opens the copy of d a second time, for an fsync. It returns -1 if d gets none.
func (w *worker) openToSync(d *dirs.Dir) (int, error) {
	if !w.walk.syncsDirs() {
		return -1, nil
	}
	fd, err := w.kernel.OpenMade(d.DstFD, at.Dot, at.NoFollow)
	if d.Merged && errors.Is(err, syscall.EACCES) {
		return -1, nil // it cannot be read; its file system is synced anyway
	}
	return fd, fault.Dest("open", err)
}

func (w *worker) finalMode(d *dirs.Dir) uint32 {
	return w.maker.Attr.FinalDirMode(&d.Stat, d.CopyMode, d.AddedMode)
}

// leaveIncomplete gives the copy of an incomplete directory its final mode, plus all permissions
// for its owner. A later copy does not change the mode of an existing directory, and must be able
// to fill it.
func (w *worker) leaveIncomplete(d *dirs.Dir) error {
	if d.Merged || w.job.Opt.Preserve&option.PreserveMode != 0 {
		return nil
	}
	mode := w.finalMode(d) | attr.OwnerPermissions
	if mode == d.CopyMode&at.ModeBits {
		return nil
	}
	if err := w.job.Handles.Use(d); err != nil {
		return err
	}
	defer w.job.Handles.Release(d)
	return fault.Dest("chmod", w.kernel.Chmod(at.File{FD: d.DstFD}, mode))
}
