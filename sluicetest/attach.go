package sluicetest

import (
	"io/fs"
	"os"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/sim"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// attached is a sim.Disk as a handle.Disk.
type attached struct{ *sim.Disk }

var _ handle.Disk = attached{}

// OpenFile implements handle.Disk.
func (a attached) OpenFile(name string, flag int, _ fs.FileMode) (*os.File, error) {
	return a.Disk.OpenFile(name, flag)
}

// NewDriver implements handle.Disk.
func (a attached) NewDriver(depth int) driver.Driver { return a.NewQueue(depth) }

// core returns the options of a core on a. Calls on other files go on to the system. A simulation
// must be repeatable: nothing in it depends on a duration, or on the garbage collector.
func (a attached) core() sched.Options {
	return sched.Options{Plain: 2, Wrap: a.wrap, Look: a.Look, Device: a.device}
}

func (a attached) wrap(next iopath.Caller) iopath.Caller {
	return func(code driver.Code, fd int, b []byte, off int64) int32 {
		if res, ok := a.Call(code, fd, b, off); ok {
			return res
		}
		return next(code, fd, b, off)
	}
}

func (a attached) device(fd int) (uint64, bool) {
	if number, ok := a.Device(fd); ok {
		return number, true
	}
	return sys.Device(fd)
}

// async returns the Async of the named driver; "" is uring.
func async(name string) func(op *driver.Op) bool {
	transfers := func(op *driver.Op) bool { return op.Code == driver.Read || op.Code == driver.Write }
	switch name {
	case "pool":
		return func(*driver.Op) bool { return false }
	case "aio":
		return func(op *driver.Op) bool { return !transfers(op) || op.Flags&driver.Direct != 0 }
	}
	return func(op *driver.Op) bool {
		return op.Code == driver.Read || transfers(op) && op.Flags&driver.Direct != 0
	}
}
