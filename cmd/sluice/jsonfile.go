package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/experiments"
	"github.com/sluiceio/sluice/cmd/sluice/internal/machine"
	"github.com/sluiceio/sluice/cmd/sluice/results"
)

func newResults(m machine.Info, p experiments.Params, measured map[string]any) results.File {
	return results.File{
		Version:     version(),
		Finished:    time.Now().UTC().Truncate(time.Second),
		Machine:     m,
		FileSize:    p.FileSize,
		Driver:      p.Driver,
		Experiments: measured,
	}
}

// jsonFile is where results go. It is created before anything is measured,
// so that a name that cannot be written to costs no run. A nil one takes
// nothing.
type jsonFile struct {
	io.WriteCloser
	file *os.File // nil is standard output
}

// createJSON creates the file of that name, and none if it is "". - is standard output,
// where nothing else may be then: the streams to go on with have people's text on
// standard error.
func createJSON(s streams, name string) (*jsonFile, streams, error) {
	switch name {
	case "":
		return nil, s, nil
	case std:
		fit(s.err)
		return &jsonFile{WriteCloser: writeOnly{s.out}}, streams{s.err, s.err}, nil
	}
	f, err := openJSON(name)
	return f, s, err
}

// writeOnly is what others close.
type writeOnly struct{ io.Writer }

func (writeOnly) Close() error { return nil }

func openJSON(name string) (*jsonFile, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // what it holds stays until there is something new
	if err != nil {
		return nil, fmt.Errorf("cannot write the results: %w", err)
	}
	return &jsonFile{f, f}, nil
}

// abandon closes the file without a change, and removes it if it is new.
func (f *jsonFile) abandon() error {
	if f == nil || f.file == nil {
		return nil
	}
	info, err := f.file.Stat()
	err = errors.Join(err, f.Close())
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return os.Remove(f.file.Name())
	}
	return err
}

// empty removes what the file holds. A pipe or a device (--json /dev/stdout)
// holds nothing.
func (f *jsonFile) empty() error {
	if f.file == nil {
		return nil
	}
	if info, err := f.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.file.Truncate(0)
}

// write makes v, indented, all that the file holds, and closes it.
func (f *jsonFile) write(v any) error {
	if f == nil {
		return nil
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = f.empty()
	}
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}
