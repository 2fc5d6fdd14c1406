package sim

import (
	"bytes"
	"maps"
	"slices"

	"github.com/sluiceio/sluice/internal/driver"
)

// Create makes a file with that name and contents, and opens it. It replaces a file
// with that name. The contents are durable at once.
func (d *Disk) Create(name string, data []byte) (fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[name] = &file{data: bytes.Clone(data), durable: bytes.Clone(data)}
	return d.descriptor(name)
}

// Open opens a file and returns a new descriptor; -1 if there is no file with that
// name.
func (d *Disk) Open(name string) (fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names[name] == nil {
		return -1
	}
	return d.descriptor(name)
}

func (d *Disk) descriptor(name string) int32 {
	fd := d.nextFD
	d.nextFD++
	d.open[fd] = d.names[name]
	return fd
}

// CloseFile closes a descriptor. Operations in flight on it go on.
func (d *Disk) CloseFile(fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, fd)
}

// Contents returns what a read of the whole file would return now; nil if fd is not
// open.
func (d *Disk) Contents(fd int32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.open[fd]; f != nil {
		return bytes.Clone(f.data)
	}
	return nil
}

// Durable returns what is certain to survive a crash now; nil if fd is not open. More
// than that may survive.
func (d *Disk) Durable(fd int32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.open[fd]; f != nil {
		return bytes.Clone(f.durable)
	}
	return nil
}

// Crash is a power failure. The operations in flight, and all that follow, fail with
// EIO. It returns the disk as it is when the power is back: what was synced is there.
// Of each other write, in flight or completed, all may be there, nothing, or some of
// its sectors. Files keep their names; descriptors are closed.
func (d *Disk) Crash() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.o
	o.Seed = d.crash.Uint64()
	after, err := New(o)
	if err != nil {
		panic("sim: New refuses options that it has accepted before: " + err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(d.names)) { // in a fixed order, as the seed decides the rest
		image := d.afterCrash(d.names[name])
		after.names[name] = &file{data: image, durable: bytes.Clone(image)}
	}
	d.dead = true
	d.makeDue(func(*pendingOp) bool { return true })
	return after
}

// afterCrash returns what would be left of a file after a crash now.
func (d *Disk) afterCrash(f *file) []byte {
	image := bytes.Clone(f.durable)
	for _, w := range f.journal {
		image = w.torn(image, d.crash, d.o.Sector)
	}
	for _, fl := range d.pending {
		if fl.file == f && fl.op.Code == driver.Write && fl.errno == 0 && d.refusal(fl) == 0 {
			image = write{fl.op.Off, fl.op.Buf}.torn(image, d.crash, d.o.Sector)
		}
	}
	return image
}
