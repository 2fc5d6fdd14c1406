package iopath

import (
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/sys"
)

// RingsOf returns the rings of f's device. A file without disk I/O (nil) gets the first.
func (p *Paths) RingsOf(f *File) *ioengine.Group {
	p.Ready()
	d := p.DeviceOf(f)
	if g := d.Rings.Load(); g != nil {
		return g
	}
	if d == p.Devices.None() {
		return &p.Engines.Shared
	}
	// If two goroutines come here at once, the first one decides.
	if p.Engines.Claim(&d.Rings) {
		device.OnForget(&p.Devices, d, p.Engines.Leave, d.Rings.Load())
	}
	return d.Rings.Load()
}

// QueueOf returns the queue for the tickets of operations on f. The first call for a device may
// wait; see qos.Classes.SetCapFinder.
func (p *Paths) QueueOf(f *File) *qos.Queue {
	d := p.DeviceOf(f)
	if q := d.Tickets.Load(); q != nil {
		return q
	}
	q := p.Classes.NewQueue(d.Number)
	if !d.Tickets.CompareAndSwap(nil, q) {
		p.Classes.Forget(q)
		return d.Tickets.Load()
	}
	device.OnForget(&p.Devices, d, p.Classes.Forget, q)
	p.Classes.FindCap(q)
	return q
}

// DeviceOf returns f's device, or device.None if f is nil. It asks the system once for each file.
func (p *Paths) DeviceOf(f *File) *device.Device {
	if f == nil {
		return p.Devices.None()
	}
	if d := f.device.Load(); d != nil {
		return d
	}
	d := p.Devices.None()
	if number, ok := p.Device(f.FD); ok && number != 0 {
		d = p.Devices.Of(number)
		f.inMemory.Store(p.realDevices && sys.InMemory(f.FD))
	}
	f.device.CompareAndSwap(nil, d) // the first one counts
	return f.device.Load()
}

// Async reports whether the driver can perform code on f without a thread.
func (p *Paths) Async(code driver.Code, f *File) bool {
	// An append extends the file. The kernel locks the inode for it and waits, in io_submit or in
	// one of io_uring's threads.
	if f.Appends && code == driver.Write {
		return false
	}
	p.Ready()
	if p.Engines.Lost() {
		return false
	}
	if f.Flags&driver.Direct != 0 {
		if code == driver.Write && f.refused.skip() && !p.leftToKernel(f) {
			return false
		}
		return p.AsyncDirect[code] && !f.needsThread.Load()
	}
	// If the kernel has no reads of the file that cannot wait, io_uring takes a thread for it too.
	return p.AsyncBuffered[code] && f.CanLook.Load()
}

// MayQueue is Async. If no driver is chosen yet, it reports whether some driver could perform code
// on f without a thread. For a write through the page cache no driver can.
func (p *Paths) MayQueue(code driver.Code, f *File) bool {
	switch {
	case p.IsReady():
		return p.Async(code, f)
	case f.Flags&driver.Direct != 0:
		return !f.needsThread.Load()
	}
	return code == driver.Read && f.CanLook.Load()
}

// InMemory reports whether f is on a file system in memory, such as tmpfs. A call on it waits for
// no device, and needs no permit: only swap makes it wait, as it does any access to memory.
func (p *Paths) InMemory(f *File) bool { return p.DeviceOf(f) != p.Devices.None() && f.inMemory.Load() }

// CanQueue reports whether the driver can take code on f now, and perform it without a thread. On
// xfs the submission of a buffered read waits for a write(2) to the same file, and the ring's other
// operations wait with it. A write that begins after this question can still have that effect.
func (p *Paths) CanQueue(code driver.Code, f *File) bool {
	if !p.Async(code, f) {
		return false
	}
	if code != driver.Read || f.Flags&driver.Direct != 0 {
		return true
	}
	f.locksAsked.Do(func() { f.locksReads = sys.LocksReads(f.FD) })
	return !f.locksReads || !sys.ReadWouldWait(f.FD)
}

// asyncCodes asks the driver, for each kind of operation, whether it needs no thread.
func asyncCodes(drv driver.Driver, flags driver.Flags) (async [driver.NumCodes]bool) {
	for code := range async {
		async[code] = drv.Async(&driver.Op{Code: driver.Code(code), Flags: flags})
	}
	return async
}
