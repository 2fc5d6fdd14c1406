package main

import (
	"errors"

	"github.com/sluiceio/sluice/cmd/sluice/internal/otiai"
)

// otiaiCmd is the library that `sluice bench cp-*` measures as if it were a
// program.
type otiaiCmd struct {
	Src     string `arg:"" help:"A directory."`
	Dst     string `arg:"" help:"Its copy, which is not there yet."`
	Workers int    `default:"8" help:"Files at a time."`
}

// Run copies.
func (c otiaiCmd) Run() error {
	if c.Workers < 1 {
		return usageError{errors.New("otiai10: want at least one worker")}
	}
	return otiai.Copy(c.Dst, c.Src, c.Workers)
}
