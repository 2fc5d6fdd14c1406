package sim

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// perform does what an operation says, with what it meets with, and returns
// its result.
func (d *Disk) perform(f *flight) int32 {
	errno := d.refuse(f)
	switch {
	case f.errno == syscall.ECANCELED:
		errno = f.errno
	case errno == 0 && f.errno != 0:
		errno = f.errno
		if d.syncs(f) && !d.dead {
			f.file.lose(f.until, d.crash, d.o.Sector)
		}
	}
	if errno != 0 {
		return -int32(errno)
	}
	switch f.op.Code {
	case driver.Read:
		return int32(copy(f.cut(), f.file.at(f.op.Off)))
	case driver.Write:
		return d.write(f)
	case driver.Fsync, driver.Fdatasync:
		f.file.sync(f.until)
	}
	return 0
}

func (d *Disk) syncs(f *flight) bool {
	return f.op.Code == driver.Fsync || f.op.Code == driver.Fdatasync
}

// refuse is what the kernel, or a disk without power, says before it begins.
func (d *Disk) refuse(f *flight) syscall.Errno {
	switch op := f.op; {
	case d.dead:
		return syscall.EIO
	case op.Code == driver.Nop:
		return 0
	case op.Code > driver.Fdatasync:
		return syscall.EINVAL
	case f.file == nil:
		return syscall.EBADF
	case d.syncs(f):
		return 0
	case op.Off < 0:
		return syscall.EINVAL
	case d.outside(op):
		return syscall.EFAULT
	case op.Code == driver.Write && len(op.Buf) > 0 && op.Off+int64(len(op.Buf)) > maxFile:
		return syscall.EFBIG
	}
	return 0
}

// cut is the buffer less what the disk leaves out. One byte is transferred
// at least, because none would mean the end of the file.
func (f *flight) cut() []byte {
	b := f.op.Buf
	if len(b) < 2 {
		return b
	}
	return b[:len(b)-int(f.short*float64(len(b)-1))]
}

// write writes as much as there is space for.
func (d *Disk) write(f *flight) int32 {
	b, off := f.cut(), f.op.Off
	if room := d.room(f.file); len(b) > 0 && off+int64(len(b)) > room {
		if off >= room {
			return -int32(syscall.ENOSPC)
		}
		b = b[:room-off]
	}
	f.file.write(off, b)
	return int32(len(b))
}

// room is where file must end for the disk to have space for it.
func (d *Disk) room(file *file) int64 {
	if d.o.Space == 0 {
		return maxFile
	}
	used := int64(0)
	for _, f := range d.names {
		used += int64(len(f.data))
	}
	return d.o.Space - used + int64(len(file.data))
}
