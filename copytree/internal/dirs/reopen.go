package dirs

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
)

// reopen opens d and the closed directories above it, and uses d. It must be called with mu held,
// also while it waits for the disk. That is rare: only trees deeper than MaxIdle need it.
func (h *Handles) reopen(d *Dir) error {
	var closed []*Dir // from d upwards
	for c := d; c != nil && c.SrcFD < 0; c = c.Up {
		closed = append(closed, c)
	}
	if up := closed[len(closed)-1].Up; up != nil {
		h.use(up)
	}
	for i := len(closed) - 1; i >= 0; i-- {
		c := closed[i]
		err := h.reopenOne(c)
		if err == nil {
			h.use(c)
		}
		if c.Up != nil { // Up may be closed from here on
			h.release(c.Up)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reopenOne opens d, which is a base or whose parent is open. It must be called with mu held.
func (h *Handles) reopenOne(d *Dir) error {
	var err error
	if d.Up == nil {
		err = h.reopenBase(d)
	} else {
		err = h.reopenIn(d)
	}
	if err != nil {
		h.close(d)
	}
	return err
}

// reopenBase opens a base by its paths. It must be called with mu held.
func (h *Handles) reopenBase(d *Dir) (err error) {
	if d.SrcFD, err = h.kernel.OpenBase(d.srcPath); err != nil {
		return fault.Source("open", err)
	}
	if err = h.checkSource(d); err != nil {
		return err
	}
	if d.DstFD, err = h.kernel.OpenBase(d.dstPath); err != nil {
		return fault.Dest("open", err)
	}
	return h.checkCopy(d)
}

// reopenIn opens d in its parent, which is open. It must be called with mu held.
func (h *Handles) reopenIn(d *Dir) (err error) {
	if d.SrcFD, err = h.kernel.OpenDir(d.Up.SrcFD, d.Name, d.Follow); err != nil {
		return fault.Source("open", err)
	}
	d.Seek = true
	if err = h.checkSource(d); err != nil || d.Absent {
		return err
	}
	if d.DstFD, err = h.kernel.OpenCopy(d.Up.DstFD, d.CopyName, d.Through); err != nil {
		return fault.Dest("open", err)
	}
	return h.checkCopy(d)
}

// checkSource returns an error unless d.SrcFD is the same directory as before.
func (h *Handles) checkSource(d *Dir) error { return h.check(d.SrcFD, d.Stat.ID, false) }

// checkCopy returns an error unless d.DstFD is the same directory as before.
func (h *Handles) checkCopy(d *Dir) error { return h.check(d.DstFD, d.CopyID, true) }

// check returns an error unless fd is the directory was. dest says that it is a copy's.
func (h *Handles) check(fd int, was at.ID, dest bool) error {
	var raw at.Raw
	var s at.Stat
	if err := h.kernel.Fstat(fd, &raw, &s); err != nil {
		return fault.New("fstat", dest, err)
	}
	if s.ID != was {
		return fault.New("open", dest, fault.ErrChanged)
	}
	return nil
}

// OpenParent opens d's parent by "..", if it is closed. The caller uses d. Directories are finished
// from the bottom up, and opening a deep parent from the top takes as many calls as it is deep. If
// d was moved, ".." is another directory, and the parent stays closed.
func (h *Handles) OpenParent(d *Dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	up := d.Up
	if up.Pair != nil || up.SrcFD >= 0 {
		return
	}
	if h.openParent(d); up.SrcFD < 0 {
		return
	}
	up.Seek = true
	h.use(up)
	h.release(up)
}

// openParent opens the source and the copy of d's parent, or neither. It must be called with mu
// held.
func (h *Handles) openParent(d *Dir) {
	up := d.Up
	var err error
	if up.SrcFD, err = h.kernel.OpenDir(d.SrcFD, at.DotDot, at.NoFollow); err != nil {
		up.SrcFD = -1
		return
	}
	err = h.checkSource(up)
	if err == nil && !up.Absent {
		if up.DstFD, err = h.kernel.OpenCopy(d.DstFD, at.DotDot, at.NoFollow); err == nil {
			err = h.checkCopy(up)
		}
	}
	if err != nil {
		h.close(up)
	}
}
