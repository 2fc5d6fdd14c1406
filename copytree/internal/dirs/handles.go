package dirs

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/internal/list"
)

// Handles opens and closes the descriptors of directories, two for each Dir. At
// most MaxIdle unused directories stay open. A directory that was closed
// is opened again from the nearest open directory above it, and must then be the
// same directory as before (reopen.go).
type Handles struct {
	MaxIdle int
	// Pretend says that nothing is made (DryRun).
	Pretend bool
	// KeepTarget says that Pairs whose copies are to be in one directory are, one after the other,
	// in the very same one, whatever its path leads to by then: as with GNU cp, it is looked up
	// once.
	KeepTarget bool

	kernel *at.Kernel
	// target is the directory that the last Pair's copy was to be in, if KeepTarget is set. It is
	// the first worker's.
	target struct {
		path string
		fd   int // -1 if there is none
	}
	mu   sync.Mutex
	idle list.List[Dir] // open and unused, the most recently used last. Under mu
}

// New returns Handles that open and close with k.
func New(k *at.Kernel, maxIdle int) *Handles {
	h := &Handles{kernel: k, MaxIdle: maxIdle}
	h.target.fd = -1
	return h
}

// Idle returns how many directories are open and unused.
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

// UseAgain is Use for a caller that uses d already, so that it cannot fail.
func (h *Handles) UseAgain(d *Dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.use(d)
}

// Release undoes one call of Use.
func (h *Handles) Release(d *Dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release(d)
}

// Opened hands over the descriptors of a directory that the caller has opened, and
// uses the directory.
func (h *Handles) Opened(d *Dir, src, dst int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.SrcFD, d.DstFD = src, dst
	h.use(d)
}

// Close closes, with k, the descriptors of a finished directory. If another
// goroutine uses d, to make a hard link to a file in it, they stay open and d
// becomes idle later, as any other.
func (h *Handles) Close(k *at.Kernel, d *Dir) {
	src, dst := h.take(d)
	closeBoth(k, src, dst) // without mu: all workers need mu for every directory
}

// take removes the descriptors from d and returns them; -1 is one that is not
// open or is used.
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

// Retire makes the base of a finished Pair idle. It is not closed at once, as
// files of later Pairs may become hard links to a file in it.
func (h *Handles) Retire(base *Dir) {
	h.mu.Lock()
	defer h.mu.Unlock()
	base.retired = true
	h.use(base)
	h.release(base)
}

// CloseIdle closes all directories that are not in use.
func (h *Handles) CloseIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shrink(0)
}

// use counts a user of d, which is open. Under mu.
func (h *Handles) use(d *Dir) {
	if d.users++; d.users == 1 && h.idle.Has(&d.idle) {
		h.idle.Remove(&d.idle)
	}
}

// release ends a use, and closes the directory that has been idle for longest if
// there are too many. Under mu.
func (h *Handles) release(d *Dir) {
	if d.users--; d.users > 0 || d.Pair != nil && !d.retired {
		return
	}
	h.idle.PushBack(&d.idle, d)
	h.shrink(h.MaxIdle)
}

// shrink closes idle directories until there are no more than most. Under mu.
func (h *Handles) shrink(most int) {
	for h.idle.Len() > most {
		oldest := h.idle.Front()
		h.idle.Remove(&oldest.idle)
		h.close(oldest)
	}
}

// close closes d's descriptors. Under mu.
func (h *Handles) close(d *Dir) {
	closeBoth(h.kernel, d.SrcFD, d.DstFD)
	d.SrcFD, d.DstFD = -1, -1
}

// closeBoth closes two descriptors; -1 is none.
func closeBoth(k *at.Kernel, src, dst int) {
	if src >= 0 {
		_ = k.Close(src)
	}
	if dst >= 0 {
		_ = k.Close(dst)
	}
}
