// Package image makes a file system in a file, and mounts it: a place to measure
// in that is the same whatever file system the directory is on.
package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Kinds are the file systems that there can be.
var Kinds = []string{"ext4", "xfs", "btrfs"}

// mkfs are the options of their mkfs programs. Nothing is left to be written
// while there is a measurement, and the file is not made sparse.
var mkfs = map[string][]string{
	// An inode for every 4 KiB: the smallest files are as many as that.
	"ext4":  {"-q", "-F", "-i", "4096", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"},
	"xfs":   {"-q", "-f", "-K"},
	"btrfs": {"-q", "-f", "-K"},
}

// smallest is the least size that their mkfs programs take.
var smallest = map[string]int64{"ext4": 16 << 20, "xfs": 320 << 20, "btrfs": 128 << 20}

// Image is a mounted file system.
type Image struct {
	Note string // what is not as it was wished for, "" if all is

	file    *scratch.File // nil before there is one
	point   string        // "" likewise
	loop    *blockdev.Loop
	mounted bool
}

// UnavailableError says why there can be no images here.
type UnavailableError struct{ Err error }

// Error is the reason.
func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnavailableError) Unwrap() error { return e.Err }

// check looks for what images of that kind take.
func check(kind string) error {
	if err := privileged(); err != nil {
		return &UnavailableError{err}
	}
	if _, err := exec.LookPath("mkfs." + kind); err != nil {
		return &UnavailableError{fmt.Errorf("mkfs.%s is not installed", kind)}
	}
	return nil
}

// Create makes an image of size bytes in a file in dir, all of which is written
// first, so that no block of it is allocated while something is measured.
// progress is called with the fraction of that. An *UnavailableError is what
// nothing but another machine helps against. The caller closes the Image in any
// case, a panic included.
func Create(ctx context.Context, dir, kind string, size int64, progress func(float64)) (*Image, error) {
	if err := check(kind); err != nil {
		return nil, err
	}
	i := &Image{}
	if err := i.create(ctx, dir, kind, max(size, smallest[kind]), progress); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

func (i *Image) create(ctx context.Context, dir, kind string, size int64, progress func(float64)) (err error) {
	if i.file, err = scratch.Create(ctx, dir, size, progress); err != nil {
		return err
	}
	if i.loop, err = blockdev.Attach(i.file.Path()); err != nil {
		return &UnavailableError{fmt.Errorf("no loop device (%w)", err)}
	}
	i.Note = i.loop.Note
	out, err := exec.CommandContext(ctx, "mkfs."+kind, append(slices.Clone(mkfs[kind]), i.loop.Path)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mkfs.%s: %w: %s", kind, err, program.FirstLine(string(out)))
	}
	if i.point, err = os.MkdirTemp(dir, ".sluice-bench-*"); err != nil {
		return err
	}
	if err := mount(i.loop.Path, i.point, kind); err != nil {
		return &UnavailableError{fmt.Errorf("cannot mount a file system: %w", err)}
	}
	i.mounted = true
	return nil
}

// Dir returns the root directory of the file system.
func (i *Image) Dir() string { return i.point }

// Device returns the loop device that it is on.
func (i *Image) Device() string { return i.loop.Path }

// A process that has just been killed may still be in the directory.
const (
	unmountTries = 20
	unmountPause = 50 * time.Millisecond
)

// Close unmounts the file system, and removes it with all that is in it.
func (i *Image) Close() error {
	var errs []error
	if i.mounted {
		errs = append(errs, i.unmount())
	}
	if i.loop != nil {
		errs = append(errs, i.loop.Detach())
	}
	if i.point != "" {
		errs = append(errs, os.Remove(i.point))
	}
	if i.file != nil {
		errs = append(errs, i.file.Close())
	}
	return errors.Join(errs...)
}

func (i *Image) unmount() error {
	var err error
	for range unmountTries {
		if err = unmount(i.point); !errors.Is(err, errBusy) {
			break
		}
		time.Sleep(unmountPause)
	}
	if err != nil {
		return fmt.Errorf("cannot unmount %s: %w", filepath.Clean(i.point), err)
	}
	return nil
}
