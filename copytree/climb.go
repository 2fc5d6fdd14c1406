package copytree

import "github.com/sluiceio/sluice/copytree/internal/at"

// climb opens the directory above d, which is in use, by "..", if that one was
// closed: it is finished after d, and from the top it would be as many calls as
// it is deep. One that is not what it was (d was moved) is left to reopen.
func (h *handles) climb(d *dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	up := d.up
	if up.root != nil || up.src >= 0 {
		return
	}
	if h.above(d); up.src < 0 {
		return
	}
	up.seek = true
	h.pin(up)
	h.unpin(up)
}

// above opens what is above d and its copy, both or none. Under mu.
func (h *handles) above(d *dir) {
	up := d.up
	var err error
	if up.src, err = h.kernel.OpenDir(d.src, at.DotDot, at.NoFollow); err != nil {
		up.src = -1
		return
	}
	err = h.same(up.src, up.stat.ID)
	if err == nil && !up.absent {
		if up.dst, err = h.kernel.OpenMade(d.dst, at.DotDot, at.NoFollow); err == nil {
			err = h.same(up.dst, up.copyID)
		}
	}
	if err != nil {
		h.close(up)
	}
}
