// Package scratch makes the temporary file for experiments.
//
//	file, err := scratch.Create(ctx, dir, size, progress)
//	if err != nil {
//		return err
//	}
//	defer file.Close() // removes it
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

// spare is the space that stays free on the file system.
const spare = 64 << 20 // 64 MiB

// chunk is the size of one write.
const chunk = 1 << 20 // 1 MiB

// File is a temporary file. On Linux it has no name in its directory: it is gone when the process
// ends, even if the process is killed.
type File struct {
	f    *os.File
	path string
	name string // in its directory; "" without a name
}

// Create writes a file of size bytes in dir, without holes and with random bytes that no file
// system can compress, and syncs it. It calls progress with the completed fraction. The caller
// closes the file. After an error, the end of ctx included, no file is left.
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

// create creates an empty file, without a name if the file can then be opened.
func create(dir string) (*File, error) {
	f, err := newFile(dir)
	if err != nil {
		return nil, err
	}
	if file, ok := nameless(f); ok {
		return file, nil
	}
	_ = errors.Join(f.Close(), os.Remove(f.Name())) // the name may already be gone
	if f, err = newFile(dir); err != nil {
		return nil, err
	}
	return &File{f: f, path: f.Name(), name: f.Name()}, nil
}

func newFile(dir string) (*os.File, error) { return os.CreateTemp(dir, ".sluice-bench-*.tmp") }

// Path returns the path by which processes of this user open the file until it is closed.
func (f *File) Path() string { return f.path }

// Close removes the file.
func (f *File) Close() error {
	err := f.f.Close()
	if f.name != "" {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}

// Free returns the size of the largest file that Create may make in dir, or math.MaxInt64 if it is
// unknown.
func Free(dir string) int64 {
	free, err := FreeSpace(dir)
	if err != nil {
		return math.MaxInt64
	}
	return max(0, free-spare)
}

// ErrSpace is the error of Create and CheckSpace for a file that does not fit.
var ErrSpace = errors.New("not enough space")

// CheckSpace returns an error that wraps ErrSpace if size bytes do not fit in dir with some space
// to spare.
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
		return nil // if there is too little, writing fails
	}
	if free-spare < size { // size+spare overflows for sizes near math.MaxInt64
		needed := size + min(spare, math.MaxInt64-size)
		return fmt.Errorf("%w in %s: %s free, %s needed", ErrSpace, dir, report.Bytes(free), report.Bytes(needed))
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

// cause returns err without the path of the temporary file, which means nothing to the user.
func cause(err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return pathError.Err
	}
	return err
}
