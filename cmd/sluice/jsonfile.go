package main

import (
	"encoding/json"
	"errors"
	"os"
	"time"

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

func newBenchReport(b *benchRunCmd, results map[string]any) benchReport {
	return benchReport{
		Version:     version(),
		Finished:    time.Now().UTC().Truncate(time.Second),
		Machine:     machine.Describe(b.Dir),
		FileSize:    int64(b.FileSize),
		Driver:      b.Driver,
		Experiments: results,
	}
}

// writeJSON writes v, indented, to the file of that name; "-" is stdout's.
func writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return errors.Join(errors.New("cannot write the results as JSON"), err)
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}
