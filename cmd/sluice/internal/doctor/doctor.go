// Package doctor finds out what the kernel, a file system and the container of this
// process allow sluice to do, and gives advice about what they do not allow.
//
// Each finding is the result of a system call, or the content of a file of /proc or
// /sys. Nothing needs root, and nothing is left behind.
package doctor

import (
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/bench/machine"
)

// Status is what a finding means for sluice.
type Status string

// The statuses.
const (
	OK   Status = "ok"   // good, or without consequence
	Note Status = "note" // works, but could be better
	Warn Status = "warn" // costs speed, or may fail under load
)

// Check is one finding.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do about it; "" if there is nothing to do
}

// Report is all findings.
type Report struct {
	Machine machine.Info `json:"machine"`
	Dir     string       `json:"dir"`
	Checks  []Check      `json:"checks"`
	// The text of Scheduler.Explain, or why there is no Scheduler
	Driver string `json:"driver"`
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

// driver returns Explain's text about the driver that a program gets here.
func driver() string {
	s, err := sluice.Default()
	if err != nil {
		return "none: " + err.Error() + "\n"
	}
	return s.Explain()
}

// cause returns the error without its operation and path, which the message has already.
func cause(err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return pathError.Err
	}
	return err
}
