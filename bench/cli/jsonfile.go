package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// JSONFile receives results for other programs. It is created before the measurements, so that an
// unusable name costs no run. A nil JSONFile ignores its results.
type JSONFile struct {
	w    io.WriteCloser
	file *os.File // nil means standard output
}

// CreateJSON creates the named file. For "" it returns a nil JSONFile. The name - means standard
// output, which may then have no other text: both returned streams are standard error. The end of
// ctx ends the wait for the reader of a FIFO.
func CreateJSON(ctx context.Context, s Streams, name string) (*JSONFile, Streams, error) {
	switch name {
	case "":
		return nil, s, nil
	case Stdio:
		FitWidth(s.Err)
		return &JSONFile{w: neverClosed{s.Out}}, Streams{s.Err, s.Err}, nil
	}
	f, err := Await(ctx, func() (*JSONFile, error) { return openJSON(name) })
	return f, s, err
}

// neverClosed is standard output, which must stay open.
type neverClosed struct{ io.Writer }

func (neverClosed) Close() error { return nil }

func openJSON(name string) (*JSONFile, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // the old content stays until Write
	if err != nil {
		return nil, fmt.Errorf("cannot write the results: %w", err)
	}
	return &JSONFile{f, f}, nil
}

// Abandon closes the file unchanged. It removes an empty file, because it is a new one.
func (f *JSONFile) Abandon() error {
	if f == nil || f.file == nil {
		return nil
	}
	info, err := f.file.Stat()
	err = errors.Join(err, f.w.Close())
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return os.Remove(f.file.Name())
	}
	return err
}

// empty removes the file's content. A pipe or a device (--json /dev/stdout) has none.
func (f *JSONFile) empty() error {
	if f.file == nil {
		return nil
	}
	if info, err := f.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.file.Truncate(0)
}

// Write replaces the file's content by v, indented, and closes the file. If that fails, as on a
// full disk, Write removes the file: a part of the results is useless.
func (f *JSONFile) Write(v any) error {
	if f == nil {
		return nil
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = f.empty()
	}
	if err == nil {
		_, err = f.w.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write the results: %w", errors.Join(err, f.discard()))
	}
	if err := f.w.Close(); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}

// discard closes the file. It removes a regular file, which is empty or cut off.
func (f *JSONFile) discard() error {
	regular := false
	if f.file != nil {
		info, err := f.file.Stat()
		regular = err == nil && info.Mode().IsRegular()
	}
	err := f.w.Close()
	if regular {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}
