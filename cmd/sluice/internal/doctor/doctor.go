// Package doctor finds out what the kernel, a file system and the container
// around this process allow sluice to do, and what to do about the rest.
//
// It asks by trying: each finding is what a system call answered, or what a
// file of /proc or /sys says. Nothing in it needs root, and nothing it does
// outlasts it.
package doctor

import (
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/bench/machine"
)

// Status says what a finding means for sluice.
type Status string

// The statuses.
const (
	OK   Status = "ok"   // as good as it gets, or of no consequence
	Note Status = "note" // works, something better exists
	Warn Status = "warn" // costs speed or may fail under load
)

// Check is one finding.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do about it, if there is something
}

// Report is everything that was found.
type Report struct {
	Machine machine.Info `json:"machine"`
	Dir     string       `json:"dir"`
	Checks  []Check      `json:"checks"`
	Driver  string       `json:"driver"` // Explain's words, or why there is none
}

// Examine examines this machine and the file system of dir, where it makes a
// small temporary file. It fails if dir is not a directory.
func Examine(dir string) (*Report, error) {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return nil, fmt.Errorf("cannot examine %s: %w", dir, cause(err))
	case !info.IsDir():
		return nil, fmt.Errorf("cannot examine %s: not a directory", dir)
	}
	r := &Report{Machine: machine.Describe(dir), Dir: dir}
	r.Checks = checks(r.Machine, dir)
	r.Driver = driver()
	return r, nil
}

// driver says which driver a program would get here.
func driver() string {
	s, err := sluice.Default()
	if err != nil {
		return "none: " + err.Error() + "\n"
	}
	return s.Explain()
}

// cause takes the operation and the path off an error, where they would say
// again what the line before them has said.
func cause(err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return pathError.Err
	}
	return err
}
