package dirs

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/internal/list"
)

// Handles opens and closes the descriptors of directories, two for each Dir. At most MaxIdle unused
// directories stay open. A closed directory is opened again from the nearest open directory above
// it. It must then be the same directory as before (reopen.go).
type Handles struct {
	MaxIdle int
	// Pretend says that nothing is made (DryRun).
	Pretend bool
	// KeepTarget says that the directory of copies is looked up once, as in GNU cp. Consecutive
	// Pairs with the same path then use the same directory, even if the path leads elsewhere by
	// now.
	KeepTarget bool

	kernel *at.Kernel
	// target is the directory of the last Pair's copy, if KeepTarget is set. Only the first worker
	// uses it.
	target struct {
		path string
		fd   int // -1 if there is none
	}
	mu   sync.Mutex
	idle list.List[Dir] // open and unused, the most recently used last; guarded by mu
}

// New returns Handles that open and close with k.
func New(k *at.Kernel, maxIdle int) *Handles {
	h := &Handles{kernel: k, MaxIdle: maxIdle}
	h.target.fd = -1
	return h
}

// Idle returns the number of open and unused directories.
func (h *Handles) Idle() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.idle.Len()
}

// Use keeps d's descriptors open until Release. The error is nil or a
// *fault.Fault.
func (h *Handles) Use(d *Dir) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d.SrcFD < 0 {
		return h.reopen(d)
	}
	h.use(d)
	return nil
}

// UseAgain is Use for a caller that already uses d, so that it cannot fail.
func (h *Handles) UseAgain(d *Dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.use(d)
}

// Release ends one call of Use.
func (h *Handles) Release(d *Dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release(d)
}

// Opened takes over the descriptors of a directory that the caller has opened, and uses the
// directory.
func (h *Handles) Opened(d *Dir, src, dst int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.SrcFD, d.DstFD = src, dst
	h.use(d)
}

// Close closes, with k, the descriptors of a finished directory. If another goroutine uses d, to
// make a hard link to a file in it, they stay open and d becomes idle later.
func (h *Handles) Close(k *at.Kernel, d *Dir) {
	src, dst := h.take(d)
	closeBoth(k, src, dst) // without mu: all workers need mu for every directory
}

// take removes the descriptors from d and returns them. -1 means that a descriptor is not open or
// is in use.
func (h *Handles) take(d *Dir) (src, dst int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d.users > 0 {
		return -1, -1
	}
	if h.idle.Has(&d.idle) {
		h.idle.Remove(&d.idle)
	}
	src, dst = d.SrcFD, d.DstFD
	d.SrcFD, d.DstFD = -1, -1
	return src, dst
}

// Retire makes the base of a finished Pair idle. It stays open at first, because files of later
// Pairs may become hard links to a file in it.
func (h *Handles) Retire(base *Dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	base.retired = true
	h.use(base)
	h.release(base)
}

// CloseIdle closes all unused directories.
func (h *Handles) CloseIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shrink(0)
}

// use counts a user of d, which must be open. It must be called with mu held.
func (h *Handles) use(d *Dir) {
	if d.users++; d.users == 1 && h.idle.Has(&d.idle) {
		h.idle.Remove(&d.idle)
	}
}

// release ends a use. If too many directories are idle, it closes the one that has been idle for
// longest. It must be called with mu held.
func (h *Handles) release(d *Dir) {
	if d.users--; d.users > 0 || d.Pair != nil && !d.retired {
		return
	}
	h.idle.PushBack(&d.idle, d)
	h.shrink(h.MaxIdle)
}

// shrink closes idle directories until at most most are left. It must be called with mu held.
func (h *Handles) shrink(most int) {
	for h.idle.Len() > most {
		oldest := h.idle.Front()
		h.idle.Remove(&oldest.idle)
		h.close(oldest)
	}
}

// close closes d's descriptors. It must be called with mu held.
func (h *Handles) close(d *Dir) {
	closeBoth(h.kernel, d.SrcFD, d.DstFD)
	d.SrcFD, d.DstFD = -1, -1
}

// closeBoth closes two descriptors; -1 stands for none.
func closeBoth(k *at.Kernel, src, dst int) {
	if src >= 0 {
		_ = k.Close(src)
	}
	if dst >= 0 {
		_ = k.Close(dst)
	}
}
