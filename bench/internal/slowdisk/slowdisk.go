// Package slowdisk makes a file on a disk that performs few reads a second, for experiments with
// waiting goroutines.
//
// As root it is an ext4 file system on a loop device that a control group throttles (packages image
// and cgroup): only processes given to Disk.Add see it as slow. Otherwise it is a file system in
// user space (FUSE) that answers slowly. Its reads do not reach a block device, so figures on
// queueing in the kernel differ between the two.
package slowdisk

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/cgroup"
	"github.com/sluiceio/sluice/bench/internal/image"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Disk is a slow disk with one file. It is for one goroutine.
type Disk struct {
	path string // the file
	what string // a readable description

	// The next three are nil if the disk is simulated.
	file *scratch.File
	fs   *image.Image
	slow *cgroup.Group

	fuse *simulated // nil if the disk is a device
}

// margin is space for the file system's own data.
const margin = 64 << 20 // 64 MiB

// Open makes a disk in dir that performs iops reads a second, with a file of size bytes. As root it
// is a throttled loop device, otherwise a simulated one. Open calls progress with the completed
// fraction. The caller must close the Disk, even in a panic.
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
		what: fmt.Sprintf("a simulated disk of %d reads a second, a file system in user space, as there is no throttled device (%v)", iops, err),
	}, nil
}

// unavailableError is the reason why there can be no throttled device.
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

// fill writes the file, and then makes the device slow.
func (d *Disk) fill(ctx context.Context, size int64, iops int) (err error) {
	if d.file, err = scratch.Create(ctx, d.fs.Dir(), size, func(float64) {}); err != nil {
		return err
	}
	d.path = d.file.Path()
	if d.slow, err = cgroup.Reads(d.fs.Device(), iops); err != nil {
		return &unavailableError{err}
	}
	return nil
}

// What returns a description of the disk.
func (d *Disk) What() string { return d.what }

// Simulated reports whether the disk is a file system in user space instead of a device.
func (d *Disk) Simulated() bool { return d.fuse != nil }

// Path returns the path of the disk's file.
func (d *Disk) Path() string { return d.path }

// Add makes the disk slow for a process. A simulated disk is slow for all processes.
func (d *Disk) Add(pid int) error {
	if d.slow == nil {
		return nil
	}
	return d.slow.Add(pid)
}

// DropCache drops the file from the page cache.
func (d *Disk) DropCache() error { return tree.Evict(d.path) }

// Close removes the disk. A later device with the same number is not slow.
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
