package viewer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/internal/tracepage"
)

// ErrForeign is wrapped by WriteFile's error if the file exists and is not a page of this
// package.
var ErrForeign = errors.New("the file exists, and is not a page of sluice trace view")

// WriteFile writes page to the file of that name. It replaces a page of this package
// atomically, and another file only with force. It writes to an existing pipe or device, which
// the end of ctx ends.
func WriteFile(ctx context.Context, name string, page []byte, force bool) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(name, page, 0o666)
	case err != nil:
		return err
	case info.IsDir() || info.Mode().IsRegular() && !force:
		if err := Check(name); err != nil {
			return err
		}
	case !info.Mode().IsRegular():
		_, err := cli.Await(ctx, func() (struct{}, error) { return struct{}{}, pour(name, page) })
		return err
	}
	return replace(name, page, info.Mode().Perm())
}

// Check returns the error that WriteFile without force returns because of a file that
// exists, nil if there is none.
func Check(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory", name)
	case !info.Mode().IsRegular():
		return nil
	}
	return ours(name)
}

// ours returns nil if the file is empty, or begins as all pages of this package do.
func ours(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	begin := make([]byte, len(tracepage.Mark))
	n, err := io.ReadFull(f, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if n > 0 && !bytes.Equal(begin[:n], []byte(tracepage.Mark)) {
		return fmt.Errorf("%s: %w", name, ErrForeign)
	}
	return nil
}

// replace writes a new file in the same directory, and renames it. So a reader always
// finds a complete page, and a full disk does not destroy the old one. If the name is a
// symbolic link, the link stays and its target is replaced.
func replace(name string, page []byte, perm fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	f, err := create(name, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(page)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(named(err, name), os.Remove(f.Name()))
	}
	return nil
}

// named returns the error of the temporary file beside name as an error of name.
func named(err error, name string) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: path.Op, Path: name, Err: path.Err}
	}
	return err
}

// create creates a new file in the directory of name, with these permissions.
func create(name string, perm fs.FileMode) (*os.File, error) {
	for i := range 1000 {
		beside := fmt.Sprintf("%s.%d.%d", name, os.Getpid(), i)
		f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		switch path := (*fs.PathError)(nil); {
		case errors.Is(err, fs.ErrExist):
			continue
		case errors.As(err, &path): // name it as the caller has
			return nil, &fs.PathError{Op: "create", Path: name, Err: path.Err}
		}
		return f, err
	}
	return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
}

func pour(name string, page []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(page)
	return errors.Join(err, f.Close())
}
