package sim

import (
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// AtPosition is an offset that stands for the file's own position.
const AtPosition = -1

// Call is a plain call: it performs an operation, and waits as long as that takes. If fd is no
// descriptor of the disk's files, ok is false, and nothing is done. For a file with O_APPEND,
// AtPosition is its end.
func (d *Disk) Call(code driver.Code, fd int, b []byte, off int64) (res int32, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fileOf(fd) == nil {
		return 0, false
	}
	return d.waitAndPerform(d.submit(&driver.Op{Code: code, FD: int32(fd), Buf: b, Off: off}, nil)), true
}

// waitAndPerform performs a plain call when it is due. It must be called with mu held, which it
// unlocks while it waits.
func (d *Disk) waitAndPerform(p *pendingOp) (res int32) {
	d.calls.add(p)
	for p.due > d.clock() {
		d.waitFor(p)
	}
	d.calls.take(p.op)
	if !p.atPosition() {
		return d.perform(p)
	}
	fd := int(p.op.FD)
	p.op.Off = position(fd, p.op.Code, p.file.size())
	if res = d.perform(p); res > 0 {
		setPosition(fd, p.op.Off+int64(res))
	}
	return res
}

// atPosition reports whether p is a transfer at the position of its descriptor. Only a plain call
// can be.
func (p *pendingOp) atPosition() bool {
	return p.queue == nil && p.op.Off == AtPosition && (p.op.Code == driver.Read || p.op.Code == driver.Write)
}

// waitFor waits until p may be due. It must be called with mu held, which it unlocks while it
// waits.
func (d *Disk) waitFor(p *pendingOp) {
	if p.due < never && !d.o.Timed {
		d.now = max(d.now, p.due)
		return
	}
	changed, held, rest := d.changed, p.due == never, p.due-d.clock() // before Thaw may change them
	d.mu.Unlock()
	defer d.mu.Lock()
	if held {
		<-changed
		return
	}
	time.Sleep(rest)
}

// Look is a look into the page cache: it reads the cached bytes, and cannot wait. The result equals
// preadv2(2)'s with RWF_NOWAIT: EAGAIN on a miss. ok is false if fd is no descriptor of the disk's
// files.
func (d *Disk) Look(fd int, b []byte, off int64) (res int32, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.fileOf(fd)
	if f == nil {
		return 0, false
	}
	at := off
	if off == AtPosition {
		at = position(fd, driver.Read, f.size())
	}
	r := d.random(opKey{file: f.serial, size: len(b), off: at, code: driver.Read, look: true})
	if d.dead || r.Float64() >= d.o.Cached {
		return again, true
	}
	n := f.read(b, at)
	if n > 1 && r.IntN(4) == 0 {
		n = 1 + r.IntN(n-1) // the next page is missing
	}
	if off == AtPosition && n > 0 {
		setPosition(fd, at+int64(n))
	}
	return int32(n), true
}
