package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// JSONFile receives results for other programs. It is created before anything is
// measured, so that a name that cannot be written to costs no run. A nil JSONFile ignores
// what is written.
type JSONFile struct {
	w    io.WriteCloser
	file *os.File // nil is standard output
}

// CreateJSON creates the file of that name; a nil JSONFile if the name is "". The name - is
// standard output, where nothing else may be then: in the streams that CreateJSON returns
// both are standard error, for the text that people read. The end of ctx ends the wait for the
// reader of a FIFO.
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

// neverClosed is standard output, which is not the file's to close.
type neverClosed struct{ io.Writer }

func (neverClosed) Close() error { return nil }

func openJSON(name string) (*JSONFile, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // what it holds stays until there is something new
	if err != nil {
		return nil, fmt.Errorf("cannot write the results: %w", err)
	}
	return &JSONFile{f, f}, nil
}

// Abandon closes the file unchanged, and removes it if it is empty, as a new one is.
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

// empty removes what the file holds. A pipe or a device (--json /dev/stdout)
// holds nothing.
func (f *JSONFile) empty() error {
	if f.file == nil {
		return nil
	}
	if info, err := f.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.file.Truncate(0)
}

// Write replaces what the file holds by v, indented, and closes the file. If that fails, as on a
// full disk, Write removes the file: a part of the results is worth nothing.
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

// discard closes the file, and removes it if it is a regular file, which is empty or cut off.
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
