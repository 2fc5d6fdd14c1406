// Package image makes a file system in a file and mounts it on a loop device. So measurements do
// not depend on the directory's file system. It needs root.
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

// Kinds are the supported file systems.
var Kinds = []string{"ext4", "xfs", "btrfs"}

// mkfs has the options of each mkfs program. They make it write everything at once, so that the
// kernel does not write on during a measurement, and keep the file from becoming sparse.
var mkfs = map[string][]string{
	// One inode for every 4 KiB, the size of the smallest files.
	"ext4":  {"-q", "-F", "-i", "4096", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"},
	"xfs":   {"-q", "-f", "-K"},
	"btrfs": {"-q", "-f", "-K"},
}

// smallest has the smallest size that each mkfs program accepts.
var smallest = map[string]int64{"ext4": 16 << 20, "xfs": 320 << 20, "btrfs": 128 << 20}

// Image is a mounted file system.
type Image struct {
	Note string // differences from the request; "" if there are none

	// The following are zero until create has made them.
	file       *scratch.File
	loop       *blockdev.Loop
	mountPoint string
	mounted    bool
}

// UnavailableError reports that this machine cannot have images.
type UnavailableError struct{ Err error }

// Error returns the reason.
func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnavailableError) Unwrap() error { return e.Err }

// check returns an *UnavailableError if the machine lacks a requirement of images of that kind.
func check(kind string) error {
	if err := privileged(); err != nil {
		return &UnavailableError{err}
	}
	if _, err := exec.LookPath("mkfs." + kind); err != nil {
		return &UnavailableError{fmt.Errorf("mkfs.%s is not installed", kind)}
	}
	return nil
}

// Create makes an image of size bytes in a file in dir. It first writes the whole file, so that no
// block is allocated during a measurement, and calls progress with the completed fraction. If this
// machine cannot have such images, the error is an *UnavailableError. The caller must close the
// Image, even in a panic.
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
	out, err := program.Command(ctx, "mkfs."+kind, append(slices.Clone(mkfs[kind]), i.loop.Path)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mkfs.%s: %w: %s", kind, err, program.FirstLine(string(out)))
	}
	if i.mountPoint, err = os.MkdirTemp(dir, ".sluice-bench-*"); err != nil {
		return err
	}
	if err := mount(i.loop.Path, i.mountPoint, kind); err != nil {
		return &UnavailableError{fmt.Errorf("cannot mount a file system: %w", err)}
	}
	i.mounted = true
	return nil
}

// Dir returns the root directory of the file system.
func (i *Image) Dir() string { return i.mountPoint }

// Device returns the path of the loop device.
func (i *Image) Device() string { return i.loop.Path }

// A process that has just been killed may still have files open.
const (
	unmountTries = 20
	unmountPause = 50 * time.Millisecond
)

// Close unmounts the file system and removes it.
func (i *Image) Close() error {
	var errs []error
	if i.mounted {
		errs = append(errs, i.unmount())
	}
	if i.loop != nil {
		errs = append(errs, i.loop.Detach())
	}
	if i.mountPoint != "" {
		errs = append(errs, os.Remove(i.mountPoint))
	}
	if i.file != nil {
		errs = append(errs, i.file.Close())
	}
	return errors.Join(errs...)
}

func (i *Image) unmount() error {
	var err error
	for range unmountTries {
		if err = unmount(i.mountPoint); !errors.Is(err, errBusy) {
			break
		}
		time.Sleep(unmountPause)
	}
	if err != nil {
		return fmt.Errorf("cannot unmount %s: %w", filepath.Clean(i.mountPoint), err)
	}
	return nil
}
