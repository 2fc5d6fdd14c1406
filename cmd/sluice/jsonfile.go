package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/experiments"
	"github.com/sluiceio/sluice/cmd/sluice/internal/machine"
)

// benchReport is the file that --json writes.
type benchReport struct {
	Version     string         `json:"version"`
	Finished    time.Time      `json:"finished"`
	Machine     machine.Info   `json:"machine"`
	FileSize    int64          `json:"file_size"`
	Driver      string         `json:"driver,omitempty"` // asked for; what was chosen is in each side's explain
	Experiments map[string]any `json:"experiments"`
}

func newBenchReport(m machine.Info, p experiments.Params, results map[string]any) benchReport {
	return benchReport{
		Version:     version(),
		Finished:    time.Now().UTC().Truncate(time.Second),
		Machine:     m,
		FileSize:    p.FileSize,
		Driver:      p.Driver,
		Experiments: results,
	}
}

// jsonFile is where results go. It is created before anything is measured,
// so that a name that cannot be written to costs no run. A nil one takes
// nothing.
type jsonFile struct{ *os.File }

// createJSON creates the file of that name, and none if it is "".
func createJSON(name string) (*jsonFile, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // what it holds stays until there is something new
	if err != nil {
		return nil, fmt.Errorf("cannot write the results: %w", err)
	}
	return &jsonFile{f}, nil
}

// abandon closes the file without a change, and removes it if it is new.
func (f *jsonFile) abandon() error {
	if f == nil {
		return nil
	}
	info, err := f.Stat()
	err = errors.Join(err, f.Close())
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return os.Remove(f.Name())
	}
	return err
}

// empty removes what the file holds. A pipe or a device (--json /dev/stdout)
// holds nothing.
func (f *jsonFile) empty() error {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.Truncate(0)
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
