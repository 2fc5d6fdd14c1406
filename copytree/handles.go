package copytree

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/internal/list"
)

// handles are the descriptors of directories: two for each that is open. There
// are no more than most open that nobody uses. One that was closed is opened
// again from the nearest above it that is open, and must still be the one that
// it was.
type handles struct {
	kernel *at.Kernel
	most   int

	mu   sync.Mutex
	idle list.List[dir] // open, and used by nobody; who was used last is last. Under mu
}

// use keeps d's descriptors open until unuse. The error is nil, or a *fault.
func (h *handles) use(d *dir) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d.src < 0 {
		return h.reopen(d)
	}
	h.pin(d)
	return nil
}

// useOpen is use of one that the caller uses already.
func (h *handles) useOpen(d *dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pin(d)
}

// unuse undoes a use.
func (h *handles) unuse(d *dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unpin(d)
}

// opened hands over the descriptors of a directory that was just begun, and
// uses it.
func (h *handles) opened(d *dir, src, dst int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.src, d.dst = src, dst
	h.pin(d)
}

// forget closes, by k, the descriptors of d, which is done. Somebody may still use
// it, to make a hard link to what is in it: then they stay open, as those of others
// that nobody uses do.
func (h *handles) forget(k *at.Kernel, d *dir) {
	src, dst := h.takeOut(d)
	closeBoth(k, src, dst) // without mu, which others would wait for
}

// takeOut returns the descriptors of d, which has none then; -1 is what is not
// open, or is used.
func (h *handles) takeOut(d *dir) (src, dst int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d.pins > 0 {
		return -1, -1
	}
	if h.idle.Has(&d.links) {
		h.idle.Remove(&d.links)
	}
	src, dst = d.src, d.dst
	d.src, d.dst = -1, -1
	return src, dst
}

// retire lets the base of a pair that is done be closed. What links lead to may
// be in it.
func (h *handles) retire(base *dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	base.done = true
	h.pin(base)
	h.unpin(base)
}

// forgetAll does so with all.
func (h *handles) forgetAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.idle.Len() > 0 {
		d := h.idle.Front()
		h.idle.Remove(&d.links)
		h.close(d)
	}
}

// pin is use of an open one. Under mu.
func (h *handles) pin(d *dir) {
	if d.pins++; d.pins == 1 && h.idle.Has(&d.links) {
		h.idle.Remove(&d.links)
	}
}

// unpin undoes it, and closes what is too much. Under mu.
func (h *handles) unpin(d *dir) {
	if d.pins--; d.pins > 0 || d.root != nil && !d.done {
		return
	}
	h.idle.PushBack(&d.links, d)
	for h.idle.Len() > h.most {
		oldest := h.idle.Front()
		h.idle.Remove(&oldest.links)
		h.close(oldest)
	}
}

// close closes what d has open. Under mu.
func (h *handles) close(d *dir) {
	closeBoth(h.kernel, d.src, d.dst)
	d.src, d.dst = -1, -1
}

// closeBoth closes descriptors of directories; -1 is none.
func closeBoth(k *at.Kernel, src, dst int) {
	if src >= 0 {
		_ = k.Close(src)
	}
	if dst >= 0 {
		_ = k.Close(dst)
	}
}

// reopen opens d again, and what is closed above it, and uses it. It waits for the
// disk under mu, which is seldom: in trees that are deeper than most. Under mu.
func (h *handles) reopen(d *dir) error {
	var closed []*dir
	for c := d; c != nil && c.src < 0; c = c.up {
		closed = append(closed, c)
	}
	if up := closed[len(closed)-1].up; up != nil {
		h.pin(up)
	}
	for i := len(closed) - 1; i >= 0; i-- {
		c := closed[i]
		err := h.openAgain(c)
		if err == nil {
			h.pin(c)
		}
		if c.up != nil { // it may be closed from here on
			h.unpin(c.up)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openAgain opens d in the one above it, which is open, or as a base. Under mu.
func (h *handles) openAgain(d *dir) error {
	if d.up == nil {
		return h.againBase(d)
	}
	return h.again(d)
}

// againBase opens a base by its paths. Under mu.
func (h *handles) againBase(d *dir) (err error) {
	if d.src, err = h.kernel.OpenBase(d.srcDir); err == nil {
		if err = h.same(d.src, d.stat.ID); err == nil {
			if d.dst, err = h.kernel.OpenBase(d.dstDir); err == nil {
				err = h.same(d.dst, d.copyID)
			}
		}
	}
	if err != nil {
		h.close(d)
		return &fault{"open", destination, err}
	}
	return nil
}

// again opens d in the one above it, which is open. Under mu.
func (h *handles) again(d *dir) (err error) {
	if d.src, err = h.kernel.OpenDir(d.up.src, d.name, d.follow); err != nil {
		return &fault{"open", source, err}
	}
	d.seek = true
	if err = h.same(d.src, d.stat.ID); err == nil && !d.absent {
		if d.dst, err = h.kernel.OpenMade(d.up.dst, d.copied, d.enter); err != nil {
			err = &fault{"open", destination, err}
		} else if err = h.same(d.dst, d.copyID); err != nil {
			err = &fault{"open", destination, ErrChanged}
		}
	}
	if err != nil {
		h.close(d)
	}
	return err
}

// same makes sure that a directory is the one that was there.
func (h *handles) same(fd int, was at.ID) error {
	var raw at.Raw
	var s at.Stat
	if err := h.kernel.Fstat(fd, &raw, &s); err != nil {
		return &fault{"fstat", source, err}
	}
	if s.ID != was {
		return &fault{"open", source, ErrChanged}
	}
	return nil
}
