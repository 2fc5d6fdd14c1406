// Package directio reads and writes one file past the page cache (O_DIRECT), at any offset and
// length, exact to the byte. Package direct has the API.
//
// An aligned transfer goes straight between the device and the caller's memory. Any other transfer
// goes through bounce buffers, and a write first reads the blocks that it changes in part. Writes
// into the last block of the file go through the page cache, so that the size is exact at all
// times.
//
// A write of one byte inside the file, for example, locks its block (package rangelock), reads the
// block into a bounce buffer, puts the byte in and writes the block (write.go). A write of one byte
// into the last block locks the whole file and goes through the page cache (end.go).
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. The caller of a method uses the
// file (sched.File.Use), so that its descriptors stay open.
package directio

import (
	"os"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// File is a file that was opened with O_DIRECT. If it is writable, it has a second descriptor,
// without O_DIRECT.
type File struct {
	Geometry
	sched   *sched.Scheduler
	bounces *buffer.Quotas[handle.BounceUser] // the Scheduler's
	inode   *inode

	file *os.File    // with O_DIRECT
	core *sched.File // of file

	// tailFile is the same file without O_DIRECT; nil if it was opened for reading only.
	tailFile *os.File
	tail     *sched.File // of tailFile

	readable bool
	// syncsBoth is set if the file system may keep writes by descriptor, so that each descriptor
	// needs an fsync.
	syncsBoth bool
}

// New returns the File of f, after Reopen has returned g. second is the descriptor that was
// reopened, and flag its open flags. A file that is only read does not use second. On an error,
// which may be Refused, the caller still owns both.
func New(f *handle.File, g Geometry, second *os.File, flag int) (*File, error) {
	node, err := inodeOf(second)
	if err != nil {
		return nil, err
	}
	tail, err := handle.NewIO(second)
	if err != nil {
		return nil, err
	}
	if f.IO == nil || tail == nil { // fcntl(2) is denied
		return nil, Refused{"the system does not say how the file is open"}
	}
	access := flag & (os.O_WRONLY | os.O_RDWR)
	file := &File{
		Geometry: g, sched: f.Sched.Core, bounces: f.Sched.Bounces, inode: node,
		file: f.OS, core: f.IO, readable: access != os.O_WRONLY,
	}
	if access != os.O_RDONLY {
		file.tailFile, file.tail, file.syncsBoth = second, tail, !sys.KeptByInode(int(second.Fd()))
		file.tail.SetMain(file.core)
	}
	return file, nil
}

// View returns a view of f for core, a view of its file: its operations have core's class.
func (f *File) View(core *sched.File) *File {
	v := *f
	v.core = core
	if f.tail != nil {
		v.tail = f.tail.View(core.Class())
	}
	return &v
}

// Readable reports whether the file was opened for reading.
func (f *File) Readable() bool { return f.readable }

// Writable reports whether the file was opened for writing.
func (f *File) Writable() bool { return f.tail != nil }

// SyncSecond calls sync for the second descriptor, if an fsync of the first does not commit the
// second's writes.
func (f *File) SyncSecond(sync func(*sched.File) error) error {
	if !f.syncsBoth {
		return nil
	}
	return sync(f.tail)
}
