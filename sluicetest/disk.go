package sluicetest

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/sim"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
)

// Options configures a [Disk]. With the zero value nothing fails, and no operation takes time.
type Options struct {
	// Seed decides every random choice.
	Seed uint64
	// Latency is the longest time that an operation takes. It takes between 0 and this, by chance,
	// and operations that are in progress together end in any order. It is not negative.
	Latency time.Duration
	// Sector is the number of bytes that a crash never splits. 0 means 512; it is not negative.
	Sector int
	// Space is the most bytes that all files have together. A file has as many as its size says,
	// holes included, or as Allocate has reserved beyond that. A write, a Truncate or an Allocate
	// that needs more fails with ENOSPC. Removed files do not count, also while they are open. 0
	// means no limit; it is not negative.
	Space int64
	// Short is the fraction of transfers that the kernel cuts short, from 0 to 1. A File transfers
	// the rest.
	Short float64
	// Fail is the fraction of reads, writes, syncs and calls of SyncNames that fail with EIO, from
	// 0 to 1.
	Fail float64
	// Cached is the fraction of small reads that find their bytes in the page cache, from 0 to 1.
	// The others may wait for the disk.
	Cached float64
	// Scheduler has the options of the Scheduler. The disk simulates which operations its Driver
	// can queue; "" means "uring".
	Scheduler sluice.Options
}

// Disk is a disk in memory, and a sluice.Scheduler on it. Any number of goroutines may call all
// methods at once, except Crash and Close. The zero Disk panics when it is used.
type Disk struct {
	disk      *sim.Disk
	scheduler *sluice.Scheduler
	options   sluice.Options
}

// NewDisk returns an empty disk. It panics if an option is out of range, and on Windows. The caller
// must call Close, or Crash.
func NewDisk(o Options) *Disk {
	return newDisk(sim.Options{
		Seed: o.Seed, Latency: o.Latency, Timed: true, Sector: o.Sector, Space: o.Space,
		Short: o.Short, Fail: o.Fail, Cached: o.Cached,
	}, o.Scheduler)
}

// newDisk is NewDisk with all options of the simulation.
func newDisk(o sim.Options, so sluice.Options) *Disk {
	o.Async = async(so.Driver)
	disk, err := sim.New(o)
	if err != nil {
		panic("sluicetest: " + err.Error())
	}
	return onDisk(disk, so)
}

func onDisk(disk *sim.Disk, o sluice.Options) *Disk {
	a := attached{disk}
	s, err := inside.New(handle.Parts{Core: a.core(), Disk: a}, o)
	if err != nil {
		panic("sluicetest: " + err.Error())
	}
	return &Disk{disk, s, o}
}

// made returns d. It panics if d is nil, or the zero Disk.
func (d *Disk) made() *Disk {
	if d == nil || d.disk == nil {
		panic("sluicetest: use of a nil or zero Disk; NewDisk makes Disks")
	}
	return d
}

// Scheduler returns the Scheduler that opens files on the disk. The Disk closes it.
func (d *Disk) Scheduler() *sluice.Scheduler { return d.made().scheduler }

// ReadFile returns the contents of a file; see os.ReadFile.
func (d *Disk) ReadFile(name string) ([]byte, error) {
	f, err := d.made().scheduler.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Rename renames a file; see os.Rename. A crash may undo it until a Sync of the file or SyncNames;
// a Datasync is not enough. Rename, Remove and file creation change only names in memory: they take
// no time, do not wait on a frozen disk, and ignore Options.Fail.
func (d *Disk) Rename(from, to string) error {
	if err := d.made().disk.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// Remove removes a file; see os.Remove. A crash may undo it until SyncNames is called. An open file
// keeps its bytes. The first SyncNames after the file was closed frees its memory; on systems other
// than Linux, Close of the Disk does.
func (d *Disk) Remove(name string) error {
	if err := d.made().disk.Remove(name); err != nil {
		return &os.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}

// Names returns the names of all files, sorted.
func (d *Disk) Names() []string { return d.made().disk.Names() }

// SyncNames makes all earlier creations, renames and removals durable, as an fsync of the directory
// does. It takes time, waits on a frozen disk, and can fail. After a failure a crash may still undo
// the changes; the next SyncNames covers them, too.
func (d *Disk) SyncNames() error {
	for {
		err := d.made().disk.SyncNames()
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EINTR): // package os repeats an interrupted fsync
			return &os.PathError{Op: "sync", Path: ".", Err: err}
		}
	}
}

// FailRead makes the n-th read from now on fail with err; 1 is the next read. A call may make
// several reads, or none for cached bytes. An err other than a syscall.Errno counts as EIO.
func (d *Disk) FailRead(n int, err error) { d.fail(n, err, driver.Read) }

// FailWrite makes the n-th write from now on fail with err, as FailRead does, and write nothing.
func (d *Disk) FailWrite(n int, err error) { d.fail(n, err, driver.Write) }

// FailSync makes the n-th fsync or fdatasync from now on fail with err, as FailRead does. SyncNames
// is an fsync, too. Concurrent Syncs may share one.
func (d *Disk) FailSync(n int, err error) { d.fail(n, err, driver.Fsync, driver.Fdatasync) }

func (d *Disk) fail(n int, err error, codes ...driver.Code) {
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		errno = syscall.EIO
	}
	d.made().disk.Inject(&sim.Fault{After: n - 1, Errno: errno, Match: func(op *driver.Op) bool {
		return op.Code == codes[0] || op.Code == codes[len(codes)-1]
	}})
}

// Freeze keeps the disk from answering until thaw is called: operations wait, also those in
// progress. Cached reads go on.
func (d *Disk) Freeze() (thaw func()) {
	disk := d.made().disk
	disk.Freeze()
	return disk.Thaw
}

// Crash cuts the power. Operations in progress fail with EIO, and the Scheduler is closed. Crash
// returns the disk after the power is back, with a new Scheduler. The old Disk need not be closed.
func (d *Disk) Crash() *Disk {
	after := d.made().disk.Crash()
	_ = d.Close() // a crash closes no file
	return onDisk(after, d.options)
}

// Close closes the Scheduler, and gives the memory back.
func (d *Disk) Close() error {
	err := d.made().scheduler.Close()
	d.disk.CloseImages()
	return err
}
