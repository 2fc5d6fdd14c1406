package sim

import (
	"bytes"
	"maps"
	"slices"

	"github.com/sluiceio/sluice/internal/driver"
)

// Create makes a file with these contents, durable at once, in the place of
// any of that name, and opens it.
func (d *Disk) Create(name string, data []byte) (fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[name] = &file{data: bytes.Clone(data), durable: bytes.Clone(data)}
	return d.descriptor(name)
}

// Open opens a file, each time with a descriptor of its own; -1 if there is
// none of that name.
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

// CloseFile closes a descriptor. What is in flight on it goes on.
func (d *Disk) CloseFile(fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, fd)
}

// Contents is what a read of a whole file would give now; nil if fd is not
// open.
func (d *Disk) Contents(fd int32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.open[fd]; f != nil {
		return bytes.Clone(f.data)
	}
	return nil
}

// Durable is what surely survives a crash now; nil if fd is not open. More
// may survive.
func (d *Disk) Durable(fd int32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.open[fd]; f != nil {
		return bytes.Clone(f.durable)
	}
	return nil
}

// Crash takes the power away. The operations in flight, and all that follow,
// fail with EIO. It returns the disk as it is when the power is back: what was
// synced is there; of each other write, in flight or not, all may be, nothing,
// or some of its sectors. Files keep their names; all are to be opened anew.
func (d *Disk) Crash() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.o
	o.Seed = d.crash.Uint64()
	after, err := New(o)
	if err != nil {
		panic("sim: options were checked, and yet: " + err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(d.names)) { // in order, for the seed
		image := d.remains(d.names[name])
		after.names[name] = &file{data: image, durable: bytes.Clone(image)}
	}
	d.dead = true
	d.rush(func(*flight) bool { return true })
	return after
}

// remains is what a file is after a crash now.
func (d *Disk) remains(f *file) []byte {
	image := bytes.Clone(f.durable)
	for _, w := range f.journal {
		image = w.torn(image, d.crash, d.o.Sector)
	}
	for _, fl := range d.flights {
		if fl.file == f && fl.op.Code == driver.Write && fl.errno == 0 && d.refuse(fl) == 0 {
			image = write{fl.op.Off, fl.op.Buf}.torn(image, d.crash, d.o.Sector)
		}
	}
	return image
}
