// Package results reads and writes the file of results of `sluice bench --json`.
//
// A run makes a File and encodes it. Read and Decode return a Run: the File, with the checked
// results of each experiment. It only has experiments whose results can be drawn or compared.
package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/report"
)

// File is the content of a file of --json.
type File struct {
	Version  string       `json:"version"`
	Finished time.Time    `json:"finished"`
	Machine  machine.Info `json:"machine"`
	FileSize int64        `json:"file_size"` // bytes of the temporary file
	// Driver is as requested; each side's explain has the chosen one.
	Driver      string         `json:"driver,omitempty"`
	Experiments map[string]any `json:"experiments"`
}

// Run is a File that was read from disk.
type Run struct {
	File
	Results []Named                    // in the order of experiments.All
	Text    []byte                     // the file
	Raw     map[string]json.RawMessage // its experiments
}

// Named is the result of an experiment, with its name.
type Named struct {
	experiments.Experiment
	experiments.Result
}

// Encode returns the text of the file.
func (f File) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(f, "", "  ")
	return append(text, '\n'), err
}

// Read reads the named file; - means standard input. Its errors name the file.
func Read(name string) (*Run, error) {
	text, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read results: %w", err)
	}
	if name == "-" {
		name = "standard input"
	}
	run, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: no results of sluice bench: %w", name, err)
	}
	return run, nil
}

// maxSize is the size of the largest file that is read. A run of all experiments writes less than a
// mebibyte.
const maxSize = 64 << 20 // 64 MiB

func read(name string) ([]byte, error) {
	if name == "-" {
		return readAll(os.Stdin, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name)
}

// readAll reads up to a limit, because a device may have no end.
func readAll(r io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s has more than %s, which no run of sluice bench writes", name, report.Bytes(maxSize))
	}
	return text, err
}

// Decode reads the output of Encode, and refuses anything that Encode cannot have written.
func Decode(text []byte) (*Run, error) {
	var raw struct {
		File
		Experiments map[string]json.RawMessage `json:"experiments"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	if raw.Version == "" || len(raw.Experiments) == 0 {
		return nil, errors.New("it has no version or no experiments")
	}
	for name := range raw.Experiments {
		if found, err := experiments.Find(name); err != nil || len(found) != 1 {
			return nil, fmt.Errorf("unknown experiment %q", name)
		}
	}
	run := &Run{File: raw.File, Text: text, Raw: raw.Experiments}
	return run, run.read()
}

func (r *Run) read() error {
	for _, e := range experiments.All {
		text, ok := r.Raw[e.Name]
		if !ok || e.Read == nil { // nothing to draw or compare
			continue
		}
		result, err := e.Read(text)
		if errors.Is(err, experiments.ErrNothing) { // the run was interrupted
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		r.Results = append(r.Results, Named{e, result})
	}
	if len(r.Results) == 0 {
		return experiments.ErrNothing
	}
	return nil
}
