// Package scratch makes the temporary file that experiments run on.
package scratch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/sluiceio/sluice/bench/report"
)

// spare is left free on the file system beside the file.
const spare = 64 << 20 // 64 MiB

// chunk is how much is written at once.
const chunk = 1 << 20 // 1 MiB

// File is a temporary file. On Linux it has no name in its directory, so that nothing is
// left of it however the process ends.
type File struct {
	f    *os.File
	path string
	name string // in its directory; "" if it has none
}

// Create writes a file of size bytes in dir, none of them holes and none of
// them compressible, and syncs it. progress is called with the fraction that
// is done. The caller closes the file; if there is an error, also that of a
// ctx that ended, there is none.
func Create(ctx context.Context, dir string, size int64, progress func(float64)) (*File, error) {
	if err := CheckSpace(dir, size); err != nil {
		return nil, err
	}
	f, err := create(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot create a file in %s: %w", dir, cause(err))
	}
	if err := fill(ctx, f.f, size, progress); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// create creates an empty file, without a name if it can be opened so.
func create(dir string) (*File, error) {
	f, err := newFile(dir)
	if err != nil {
		return nil, err
	}
	if file, ok := nameless(f); ok {
		return file, nil
	}
	_ = errors.Join(f.Close(), os.Remove(f.Name())) // it may have no name any more
	if f, err = newFile(dir); err != nil {
		return nil, err
	}
	return &File{f: f, path: f.Name(), name: f.Name()}, nil
}

func newFile(dir string) (*os.File, error) { return os.CreateTemp(dir, ".sluice-bench-*.tmp") }

// Path is what this process and others of this user open the file by, until it is closed.
func (f *File) Path() string { return f.path }

// Close removes the file.
func (f *File) Close() error {
	err := f.f.Close()
	if f.name != "" {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}

// Free returns how large a file Create may make in dir; without a bound where
// that cannot be told.
func Free(dir string) int64 {
	free, err := FreeSpace(dir)
	if err != nil {
		return math.MaxInt64
	}
	return max(0, free-spare)
}

// ErrSpace is in the error of what does not fit.
var ErrSpace = errors.New("not enough space")

// CheckSpace refuses a directory where size bytes do not fit, and something
// beside them.
func CheckSpace(dir string, size int64) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", dir, cause(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("cannot use %s: not a directory", dir)
	}
	free, err := FreeSpace(dir)
	if err != nil {
		return nil // the write will tell
	}
	if free < size+spare {
		return fmt.Errorf("%w in %s: %s free, %s needed", ErrSpace, dir, report.Bytes(free), report.Bytes(size+spare))
	}
	return nil
}

func fill(ctx context.Context, f *os.File, size int64, progress func(float64)) error {
	buf := make([]byte, chunk)
	rng := rand.NewChaCha8([32]byte{})
	for off := int64(0); off < size; off += chunk {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, _ = rng.Read(buf) // never fails
		if _, err := f.Write(buf[:min(chunk, size-off)]); err != nil {
			return fmt.Errorf("cannot write %s in the directory: %w", report.Bytes(size), cause(err))
		}
		progress(float64(off) / float64(size))
	}
	return f.Sync()
}

// cause takes the path of the temporary file, which means nothing to the
// user, off an error.
func cause(err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return pathError.Err
	}
	return err
}
