package sim

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// newFile adds a file with those contents, which are durable, and without a name. It must be called
// with mu held.
func (d *Disk) newFile(data []byte) (*file, error) {
	image, err := newImage()
	if err != nil {
		return nil, err
	}
	if _, err := image.WriteAt(data, 0); err != nil {
		return nil, err
	}
	f := &file{
		serial: d.files, device: FirstDevice + uint64(d.files%d.o.Devices),
		image: image, durable: bytes.Clone(data),
	}
	d.files++
	k, _ := keyOf(int(image.Fd()))
	d.inodes[k] = f
	return f, nil
}

// Create makes a file with that name and contents, and opens it. It replaces a file with that name.
// The contents and the name are durable at once.
func (d *Disk) Create(name string, data []byte) (fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.newFile(data)
	if err != nil {
		panic("sim: " + err.Error())
	}
	d.names.now[name] = f
	d.names.changed([]string{name}, f)
	d.names.keep(d.names.last())
	return d.descriptor(f)
}

// Open opens a file and returns a new descriptor, or -1 if no file has that name.
func (d *Disk) Open(name string) (fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names.now[name] == nil {
		return -1
	}
	return d.descriptor(d.names.now[name])
}

func (d *Disk) descriptor(f *file) int32 {
	fd, err := openImage(f.image, os.O_RDWR)
	if err != nil {
		panic("sim: " + err.Error())
	}
	return int32(fd)
}

// CloseFile closes a descriptor. Operations in flight on it go on.
func (d *Disk) CloseFile(fd int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = closeDescriptor(int(fd))
}

// OpenFile opens a file by name, with the flags of os.OpenFile. The caller gets a separate
// position. Names are strings: there are no directories.
func (d *Disk) OpenFile(name string, flag int) (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.named(name, flag)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	fd, err := openImage(f.image, flag&^(os.O_CREATE|os.O_EXCL|os.O_TRUNC))
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// named returns the file of that name for an open. It creates or truncates it as flag says.
func (d *Disk) named(name string, flag int) (*file, error) {
	f := d.names.now[name]
	switch {
	case d.dead:
		return nil, syscall.EIO
	case name == "":
		return nil, syscall.ENOENT
	case f == nil && flag&os.O_CREATE == 0:
		return nil, syscall.ENOENT
	case f == nil:
		f, err := d.newFile(nil)
		if err == nil {
			d.names.now[name] = f
			d.names.changed([]string{name}, f)
			f.created = d.names.last()
		}
		return f, err
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, syscall.EEXIST
	case flag&os.O_TRUNC != 0:
		f.reserved = 0
		if f.size() == 0 {
			break
		}
		if err := f.image.Truncate(0); err != nil {
			return nil, err
		}
		f.note(change{})
	}
	return f, nil
}

// Change calls do, which changes the blocks of the file of fd other than by a write. It returns
// do's error. Afterwards the file takes the room of its first end bytes, unless it takes more.
func (d *Disk) Change(fd int, end int64, do func() error) error {
	return d.change(fd, end, do, func(f *file) { f.reserved = max(f.reserved, end) })
}

// Truncate calls do, which makes the file of fd size bytes long, and returns do's error. The room
// beyond the size is free then, also if the file had that size before.
func (d *Disk) Truncate(fd int, size int64, do func() error) error {
	return d.change(fd, size, do, func(f *file) { f.reserved = 0 })
}

// change calls do for Change and Truncate, and then done unless do fails. Changes that two
// goroutines make at once count as one.
func (d *Disk) change(fd int, end int64, do func() error, done func(f *file)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.fileOf(fd)
	if f == nil {
		return do()
	}
	if d.dead {
		return syscall.EIO
	}
	if d.o.Space > 0 && end > f.room() && end > d.maxRoom(f) {
		return syscall.ENOSPC
	}
	before := f.contents()
	err := do()
	f.noteOthers(before, d.o.Sector)
	if err == nil {
		done(f)
	}
	return err
}

// Rename gives a file another name. A file that has that name loses it.
func (d *Disk) Rename(from, to string) error {
	if to == "" {
		return syscall.ENOENT
	}
	return d.changeName(from, func(f *file) {
		replaced := d.names.now[to]
		delete(d.names.now, from)
		d.names.now[to] = f
		d.names.changed([]string{from, to}, f, replaced)
		if replaced != nil && replaced != f {
			replaced.nameless = d.names.last()
		}
	})
}

// Remove takes a file's name away. The file lives while it is open.
func (d *Disk) Remove(name string) error {
	return d.changeName(name, func(f *file) {
		delete(d.names.now, name)
		d.names.changed([]string{name}, f)
		f.nameless = d.names.last()
	})
}

func (d *Disk) changeName(name string, change func(f *file)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.names.now[name]
	switch {
	case d.dead:
		return syscall.EIO
	case f == nil:
		return syscall.ENOENT
	}
	change(f)
	return nil
}

// Names returns the names of all files, sorted.
func (d *Disk) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.names.now))
}

// SyncNames makes all earlier changes of names durable. It is the fsync of the directory of all
// files: it takes time, may fail, and waits while its device, the first one, is frozen.
func (d *Disk) SyncNames() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := &pendingOp{op: &driver.Op{Code: driver.Fsync, FD: -1}, file: d.directory}
	d.decide(p)
	if res := d.waitAndPerform(p); res < 0 {
		return syscall.Errno(-res)
	}
	return nil
}

// Contents returns the present result of a read of the whole file, or nil if fd is not open.
func (d *Disk) Contents(fd int32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.fileOf(int(fd)); f != nil {
		return f.contents()
	}
	return nil
}

// Durable returns the bytes that are certain to survive a crash now, or nil if fd is not open. More
// may survive.
func (d *Disk) Durable(fd int32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.fileOf(int(fd)); f != nil {
		return f.certain()
	}
	return nil
}

// FailedSyncs returns how many syncs of the file of fd have failed.
func (d *Disk) FailedSyncs(fd int32) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fileOf(int(fd)).failedSyncs
}

// Device returns the device of the file of fd. ok is false if the file is not on the disk.
func (d *Disk) Device(fd int) (device uint64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.fileOf(fd); f != nil {
		return f.device, true
	}
	return 0, false
}

// fileOf returns the file of a descriptor, or nil if it is not on the disk. It must be called with
// mu held.
func (d *Disk) fileOf(fd int) *file {
	k, ok := keyOf(fd)
	if !ok {
		return nil
	}
	return d.inodes[k]
}

// Crash is a power failure. The operations in flight, and all later ones, fail with EIO. It returns
// the disk after the power is back. Synced bytes are there. Every other write, in flight or
// completed, may be there in full, not at all, or with some of its sectors. Files keep their
// durable names.
func (d *Disk) Crash() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.o
	o.Seed = d.crash.Uint64()
	after, err := New(o)
	if err != nil {
		panic("sim: New refuses options that it has accepted before: " + err.Error())
	}
	after.start, after.now = d.start, d.now
	left := d.names.after(d.crash.IntN(len(d.names.later) + 1))
	copies := map[*file]*file{}
	// The order is fixed, so that the seed decides all that follows.
	for _, name := range slices.Sorted(maps.Keys(left)) {
		f := left[name]
		if copies[f] == nil {
			if copies[f], err = after.newFile(d.afterCrash(f)); err != nil {
				panic("sim: " + err.Error())
			}
			copies[f].device = f.device
		}
		after.names.now[name] = copies[f]
	}
	after.names.changed(slices.Collect(maps.Keys(after.names.now)))
	after.names.keep(after.names.last())
	d.dead = true
	clear(d.frozen)
	d.resume(func(*pendingOp) bool { return true }, 1)
	return after
}

// afterCrash returns a possible content of a file after a crash now.
func (d *Disk) afterCrash(f *file) []byte {
	image := bytes.Clone(f.durable)
	for _, c := range f.journal {
		image = c.torn(image, d.crash, d.o.Sector)
	}
	size := f.size()
	for _, fl := range d.inFlight() {
		if fl.file != f || fl.op.Code != driver.Write || fl.errno != 0 || len(fl.op.Buf) == 0 {
			continue
		}
		if fl.atPosition() {
			fl.op.Off = position(int(fl.op.FD), driver.Write, size)
			size = max(size, fl.op.Off+int64(len(fl.op.Buf))) // a second append is behind the first
		}
		if d.refusal(fl) == 0 {
			image = change{off: fl.op.Off, data: fl.op.Buf}.torn(image, d.crash, d.o.Sector)
		}
	}
	return image
}

// forgetFiles frees the memory of unreachable files: without a name now and after any crash,
// without a descriptor, and without an operation in flight. A test may make thousands of files that
// it removes. It must be called with mu held.
func (d *Disk) forgetFiles() {
	if len(d.inodes) == len(d.names.now) {
		return // each file has a name
	}
	busy := map[*file]bool{}
	for _, p := range d.inFlight() {
		busy[p.file] = true
	}
	var open map[inodeKey]int
	for k, f := range d.inodes {
		if busy[f] || d.names.has(f) {
			continue
		}
		if open == nil {
			open = openFiles()
		}
		if open[k] == 1 { // only the image is open
			closeImage(f.image)
			delete(d.inodes, k)
		}
	}
}

// inFlight returns the operations in flight. It must be called with mu held.
func (d *Disk) inFlight() pendingOps {
	flights := slices.Clone(d.calls)
	for _, q := range d.queues {
		flights = append(flights, q.pending...)
	}
	return flights
}

// CloseImages frees the memory of the files. All their descriptors are unknown from then on.
func (d *Disk) CloseImages() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.inodes {
		closeImage(f.image)
	}
	clear(d.inodes)
}
