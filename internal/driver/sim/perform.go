package sim

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// perform performs an operation, or fails it as was decided, and returns its result.
func (d *Disk) perform(f *pendingOp) int32 {
	delete(d.due, f.due)
	errno := d.refusal(f)
	switch {
	case f.errno == syscall.ECANCELED:
		errno = f.errno
	case errno == 0 && f.errno != 0:
		errno = f.errno
		if d.isSync(f) && !d.dead && errno != syscall.EINTR && errno != syscall.EAGAIN {
			f.file.failSync(f.syncUntil, d.crash, d.o.Sector)
		}
	}
	if errno != 0 {
		return -int32(errno)
	}
	switch f.op.Code {
	case driver.Read:
		return int32(f.file.read(f.transferred(), f.op.Off))
	case driver.Write:
		return d.write(f)
	case driver.Fsync, driver.Fdatasync:
		f.file.sync(f.syncUntil)
		d.syncNames(f, f.op.Code)
	}
	return 0
}

// syncNames makes the changes of names durable that a sync of f's file covers, an fsync or an
// fdatasync as code says. An fdatasync writes only what a read of the file needs: the name of a new
// file, but not a rename.
func (d *Disk) syncNames(f *pendingOp, code driver.Code) {
	first := d.names.first
	switch {
	case f.file == d.directory:
		d.names.keep(f.namesUntil)
	case code == driver.Fdatasync:
		d.names.keep(f.file.created)
	default:
		d.names.sync(f.file, f.namesUntil)
	}
	if d.names.first > first || f.file == d.directory {
		d.forgetFiles()
	}
}

func (d *Disk) isSync(f *pendingOp) bool {
	return f.op.Code == driver.Fsync || f.op.Code == driver.Fdatasync
}

// refusal returns the errno with which the kernel, or a disk without power, refuses the
// operation.
func (d *Disk) refusal(f *pendingOp) syscall.Errno {
	switch op := f.op; {
	case d.dead:
		return syscall.EIO
	case op.Code == driver.Nop:
		return 0
	case op.Code > driver.Fdatasync:
		return syscall.EINVAL
	case f.file == nil, f.refused:
		return syscall.EBADF
	case d.isSync(f):
		return 0
	case op.Off < 0:
		return syscall.EINVAL
	case f.queue != nil && f.queue.outside(op):
		return syscall.EFAULT
	case op.Code == driver.Write && len(op.Buf) > 0 && op.Off+int64(len(op.Buf)) > maxFile:
		return syscall.EFBIG
	}
	return 0
}

// directBlock is the alignment of direct I/O on files in memory, as package directio assumes it.
const directBlock = 4096

// transferred returns the part of the buffer that is transferred. It has at least one byte, because
// zero bytes would mean the end of the file. A transfer with O_DIRECT has whole blocks: only at the
// end of the file it stops within one.
func (p *pendingOp) transferred() []byte {
	b := p.op.Buf
	if len(b) < 2 {
		return b
	}
	n := len(b) - int(p.short*float64(len(b)-1))
	if p.direct && n < len(b) {
		n = min(len(b), max(directBlock, n-n%directBlock))
	}
	return b[:n]
}

// write writes as much as there is space for, and returns the result.
func (d *Disk) write(f *pendingOp) int32 {
	b, off := f.transferred(), f.op.Off
	if room := d.maxRoom(f.file); len(b) > 0 && off+int64(len(b)) > room {
		if off >= room {
			return -int32(syscall.ENOSPC)
		}
		b = b[:room-off]
	}
	f.file.write(off, b)
	if f.syncs != driver.Nop && len(b) > 0 {
		f.file.syncLast()
		d.syncNames(f, f.syncs)
	}
	return int32(len(b))
}

// maxRoom returns how much room the file can have beside all other files.
func (d *Disk) maxRoom(file *file) int64 {
	if d.o.Space == 0 {
		return maxFile
	}
	room := d.o.Space
	for _, f := range d.names.now {
		if f != file {
			room -= f.room()
		}
	}
	return room
}
