package handle

import (
	"io/fs"
	"os"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sched"
)

// Disk is a simulated disk of package sluicetest, which replaces the system's file systems. A
// Scheduler on a Disk opens its files there by name. Descriptors of other files are the system's.
type Disk interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
	// Change calls do, which changes the blocks of the file of fd other than by a write, and
	// returns its error. Afterwards the file takes the room of its first end bytes, unless it takes
	// more. If the Disk does not have that room, the error is ENOSPC.
	Change(fd int, end int64, do func() error) error
	// Truncate is Change for a do that makes the file size bytes long. Afterwards the file takes no
	// more room than that.
	Truncate(fd int, size int64, do func() error) error
	// NewDriver returns another driver, with room for depth operations.
	NewDriver(depth int) driver.Driver
}

// Parts replace parts of a Scheduler. The zero value replaces none, and has no governors.
type Parts struct {
	// Core has the options of the core, except Threads, which sluice.Options has.
	Core sched.Options
	// Disk, if not nil, is a simulated disk, whose drivers the Scheduler uses.
	// sluice.Options.Driver then says how many threads wait, and whether there are rings.
	Disk Disk
	// Driver, if not nil, is the only driver of the Scheduler, which closes it.
	// sluice.Options.Driver is ignored. There is one ring, and no driver for fsyncs.
	Driver driver.Driver
	// Around, if not nil, returns a driver in front of one of the system's.
	Around func(driver.Driver) driver.Driver
	// NeverLook keeps reads from looking into the page cache.
	NeverLook bool
}

// InFront returns what the Scheduler uses in place of drv, one of the system's drivers.
func (p *Parts) InFront(drv driver.Driver) driver.Driver {
	if p.Around == nil {
		return drv
	}
	return p.Around(drv)
}

// OpenFile opens a file by name: on the Disk, if there is one, else as os.OpenFile.
func (s *Scheduler) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if s.Disk != nil {
		return s.Disk.OpenFile(name, flag, perm)
	}
	return os.OpenFile(name, flag, perm)
}

// Truncate makes the call of sluice.File.Truncate, and returns an error of package os.
func (f *File) Truncate(size int64) error {
	if f.Sched.Disk != nil {
		return f.Sched.Disk.Truncate(int(f.OS.Fd()), size, func() error { return f.OS.Truncate(size) })
	}
	return f.OS.Truncate(size)
}
