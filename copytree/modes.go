package copytree

import (
	"errors"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// What a copy's mode is while it is written: never more than its source's, and
// nobody else's as long as it does not have its owner. suid, sgid and what only
// the finished copy may have come at the end.

const (
	groupAndOthers = 0o077 // their permissions
	ownerAll       = 0o700 // what the owner needs to fill a directory
)

// fileMode is the mode that a file is made with, before the umask.
func (w *worker) fileMode(it *item) uint32 {
	mode := w.wantedFile(it)
	if w.o.Preserve&PreserveOwner != 0 {
		mode &^= groupAndOthers
	}
	return mode
}

// wantedFile is the mode, before the umask, that it has in the end without
// PreserveMode. mknod(2) gives special files all bits, as they are with cp.
func (w *worker) wantedFile(it *item) uint32 {
	fresh := uint32(0o666)
	if it.kind == at.Socket {
		fresh = 0o777 // as bind(2) makes it
	}
	mode := w.permissions(&it.stat, fresh)
	if it.kind != at.Regular && w.o.Preserve&NoMode == 0 {
		mode |= it.stat.Mode & at.ModeBits
	}
	return mode
}

// permissions are those of the source, or what new files have.
func (w *worker) permissions(s *at.Stat, fresh uint32) uint32 {
	if w.o.Preserve&(NoMode|PreserveMode) == NoMode {
		return fresh
	}
	return s.Mode & at.ModePerm
}

// dirMode is the mode that a directory is made with. Its owner fills it, so he
// may; nobody else may put something into it meanwhile.
func (w *worker) dirMode(d *dir) uint32 {
	mode := w.wantedDir(&d.stat) | ownerAll
	if w.o.Preserve&PreserveOwner != 0 {
		return mode &^ groupAndOthers
	}
	return mode &^ 0o022
}

// wantedDir is the mode, before the umask, that it has in the end without
// PreserveMode.
func (w *worker) wantedDir(s *at.Stat) uint32 {
	return w.permissions(s, 0o777) | s.Mode&at.ModeSticky
}

// finished is the mode that a directory has in the end without PreserveMode: what
// it got, which an ACL of the one above may have had a part in, without what
// was too much, and with what was left out.
func (w *worker) finished(d *dir) uint32 {
	wanted := w.wantedDir(&d.stat)
	made := w.dirMode(d)
	return d.copyMode&at.ModeBits&^(made&^wanted)&^d.lent | wanted&^made&^w.umask
}

// finish gives d's copy its attributes, when all is in it, and closes it.
func (w *worker) finish(d *dir) {
	if !d.entered {
		return
	}
	if err := w.finishCopy(d); err != nil {
		w.fail(d.up, d.name, d.copied, err)
	}
	w.handles.forget(w.kernel, d)
}

func (w *worker) finishCopy(d *dir) error {
	if d.absent || w.o.DryRun {
		return nil
	}
	if w.stopped.Load() {
		return w.leaveOpen(d)
	}
	a := attributed{stat: &d.stat, there: d.merged}
	if !d.merged {
		a.mode = w.finished(d)
		a.chmod = a.mode != d.copyMode&at.ModeBits
	}
	a.acl = d.merged || d.up.acl
	toSync := w.syncer != nil && w.o.Sync == SyncFiles
	if w.o.Preserve&PreserveAll == 0 && !a.chmod && !toSync {
		return nil
	}
	if err := w.handles.use(d); err != nil {
		return err
	}
	defer w.handles.unuse(d)
	w.handles.climb(d) // while its mode lets us
	a.src, a.dst = at.File{FD: d.src}, at.File{FD: d.dst}
	refused := w.set(&a)
	if toSync {
		return errors.Join(refused, w.syncDir(d))
	}
	return refused
}

// leaveOpen gives d's copy, in which something is missing, the mode that it was to
// have, and its owner all permissions. Who goes on finds a directory that was
// there, whose mode he leaves, and has to be able to fill it.
func (w *worker) leaveOpen(d *dir) error {
	if d.merged || w.o.Preserve&PreserveMode != 0 {
		return nil
	}
	mode := w.finished(d) | ownerAll
	if mode == d.copyMode&at.ModeBits {
		return nil
	}
	if err := w.handles.use(d); err != nil {
		return err
	}
	defer w.handles.unuse(d)
	return wrong("chmod", destination, w.kernel.Chmod(at.File{FD: d.dst}, mode))
}
