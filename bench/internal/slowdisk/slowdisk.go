// Package slowdisk makes a file on a disk that does few reads a second.
package slowdisk

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/bench/internal/image"
	"github.com/sluiceio/sluice/bench/internal/throttle"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Disk is such a disk. It is for one goroutine.
type Disk struct {
	path string        // of the file
	what string        // for people
	file *scratch.File // nil where the disk is simulated; what follows as well
	fs   *image.Image
	slow *throttle.Group
	fuse *simulated // nil where it is not
}

// margin is what a file system takes beside the file.
const margin = 64 << 20 // 64 MiB

// Open makes, in dir, a disk with a file of size bytes that does iops reads a
// second: a loop device that is throttled, or, where that cannot be had, as it
// takes root, a simulated one. progress is called with the fraction that is done.
// The caller closes the Disk in any case, a panic included.
func Open(ctx context.Context, dir string, size int64, iops int, progress func(float64)) (*Disk, error) {
	d, err := throttled(ctx, dir, size, iops, progress)
	if _, ok := errors.AsType[*unavailableError](err); !ok {
		return d, err
	}
	sim, simErr := simulate(dir, size, iops)
	if simErr != nil {
		return nil, fmt.Errorf("no slow disk: %w; no simulated one: %w", err, simErr)
	}
	return &Disk{
		path: sim.path, fuse: sim,
		what: fmt.Sprintf("a simulated disk of %d reads a second, a file system in user space: no throttled one (%v)", iops, err),
	}, nil
}

// unavailableError says why there can be no throttled device here.
type unavailableError struct{ err error }

func (e *unavailableError) Error() string { return e.err.Error() }
func (e *unavailableError) Unwrap() error { return e.err }

func throttled(ctx context.Context, dir string, size int64, iops int, progress func(float64)) (*Disk, error) {
	fs, err := image.Create(ctx, dir, "ext4", size+2*margin, progress)
	if missing, ok := errors.AsType[*image.UnavailableError](err); ok {
		return nil, &unavailableError{missing}
	}
	if err != nil {
		return nil, err
	}
	d := &Disk{fs: fs, what: fmt.Sprintf("ext4 on %s, a loop device of %d reads a second", fs.Device(), iops)}
	if err := d.fill(ctx, size, iops); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// fill makes the file, and then the device slow.
func (d *Disk) fill(ctx context.Context, size int64, iops int) (err error) {
	if d.file, err = scratch.Create(ctx, d.fs.Dir(), size, func(float64) {}); err != nil {
		return err
	}
	d.path = d.file.Path()
	if d.slow, err = throttle.Reads(d.fs.Device(), iops); err != nil {
		return &unavailableError{err}
	}
	return nil
}

// What describes the disk.
func (d *Disk) What() string { return d.what }

// Simulated reports whether the disk is a file system in user space instead of a device.
func (d *Disk) Simulated() bool { return d.fuse != nil }

// Path returns the path of the disk's file.
func (d *Disk) Path() string { return d.path }

// Add has a process see the disk as slow.
func (d *Disk) Add(pid int) error {
	if d.slow == nil {
		return nil
	}
	return d.slow.Add(pid)
}

// Cool takes the file out of the page cache.
func (d *Disk) Cool() error {
	f, err := os.Open(d.path)
	if err != nil {
		return err
	}
	return errors.Join(dropCache(f), f.Close())
}

// Close removes all of it. The device is as quick as before for whoever has its
// number next.
func (d *Disk) Close() error {
	var errs []error
	if d.slow != nil {
		errs = append(errs, d.slow.Close())
	}
	if d.fuse != nil {
		errs = append(errs, d.fuse.close())
	}
	if d.fs != nil {
		if d.file != nil {
			errs = append(errs, d.file.Close())
		}
		errs = append(errs, d.fs.Close())
	}
	return errors.Join(errs...)
}
