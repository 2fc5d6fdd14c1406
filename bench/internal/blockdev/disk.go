package blockdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/sluiceio/sluice/bench/internal/burst"
)

// About describes a Disk.
type About struct {
	Name string `json:"name"`           // of the device; "" for a file
	What string `json:"what"`           // a phrase for the user
	Size int    `json:"size"`           // of the smallest direct write, in bytes
	Note string `json:"note,omitempty"` // differences from the request
	// Schedulers has the schedulers that SetScheduler accepts. Scheduler is the original one, or ""
	// if it is unknown.
	Schedulers []string `json:"schedulers"`
	Scheduler  string   `json:"scheduler"`
}

// Disk is a device, or a file in its place, open for raw writes. It is not safe for concurrent use.
type Disk struct {
	about  About
	device *Device // nil for a file
	file   *os.File
	loop   *Loop // nil if Open made none
	set    bool  // SetScheduler was called, so that Close restores the scheduler
}

// Open opens the device of that name. If the name is "", it makes a loop device over the file and
// opens that. If there can be no loop device, it opens the file. The device's content is
// overwritten by writes writes.
//
// The caller must close the Disk, after a panic too: otherwise the I/O scheduler stays changed.
func Open(device, file string, writes int) (*Disk, error) {
	if device != "" {
		return openDevice(Host, device, writes)
	}
	d, err := openLoop(file)
	if err == nil {
		return d, nil
	}
	d, fileErr := openFile(file)
	if fileErr != nil {
		return nil, fileErr
	}
	d.about.Note = fmt.Sprintf("no loop device (%v)", err)
	return d, nil
}

// Check returns the error that Open of the device would return.
func Check(device string, writes int) error {
	_, err := Host.Find(device, int64(writes)*largestSector)
	return err
}

func openDevice(s System, name string, writes int) (*Disk, error) {
	device, err := s.Find(name, int64(writes)*largestSector)
	if err != nil {
		return nil, err
	}
	f, err := openExclusive(device.Path)
	if err != nil {
		return nil, err
	}
	return newDisk(f, device, "the device "+device.Path)
}

func openFile(name string) (*Disk, error) {
	f, err := openDirect(name)
	if err != nil {
		return nil, err
	}
	return newDisk(f, nil, "a file in --dir")
}

// newDisk describes an open device or file. It closes f if it fails.
func newDisk(f *os.File, device *Device, what string) (*Disk, error) {
	d := &Disk{file: f, device: device, about: About{What: what}}
	var err error
	if d.about.Size, err = sector(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if d.about.Size != smallestSector {
		d.about.Note = fmt.Sprintf("writes are of %d bytes: smaller ones are refused", d.about.Size)
	}
	if device != nil {
		d.about.Name = device.Name
		d.about.Schedulers, d.about.Scheduler = device.schedulers()
	}
	return d, nil
}

// Writes have 512 bytes, as in 2009, or the size of the device's sector.
const (
	smallestSector = 512
	largestSector  = 4096
)

// sector returns the size of the smallest direct read, which is also the smallest write's.
func sector(f *os.File) (int, error) {
	buf := alignedBlock(largestSector)
	_, err := f.ReadAt(buf[:smallestSector], smallestSector)
	if err == nil {
		return smallestSector, nil
	}
	if _, err := f.ReadAt(buf, 0); err != nil {
		return 0, fmt.Errorf("cannot read %d bytes without the page cache: %w", largestSector, err)
	}
	return largestSector, nil
}

// About describes the disk.
func (d *Disk) About() About { return d.about }

// SetScheduler sets the device's I/O scheduler until Close.
func (d *Disk) SetScheduler(name string) error {
	if d.device == nil {
		return errors.New("a file has no I/O scheduler of its own")
	}
	if !slices.Contains(d.about.Schedulers, name) || d.about.Scheduler == "" {
		return fmt.Errorf("%s has no I/O scheduler %s", d.about.Name, name)
	}
	d.set = true // also if it fails: a half may be done
	return d.device.setScheduler(name)
}

// Burst queues writes of About().Size one after another, without waiting for any.
func (d *Disk) Burst(ctx context.Context, e burst.Engine, writes int) (*burst.Result, error) {
	return burst.Run(ctx, e, d.file, writes, d.about.Size)
}

// Close restores the scheduler, and removes the loop device.
func (d *Disk) Close() error {
	var errs []error
	if d.set {
		errs = append(errs, d.device.setScheduler(d.about.Scheduler))
	}
	errs = append(errs, d.file.Close())
	if d.loop != nil {
		errs = append(errs, d.loop.Detach())
	}
	return errors.Join(errs...)
}
