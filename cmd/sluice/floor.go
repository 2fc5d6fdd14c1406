package main

import (
	"errors"

	"github.com/sluiceio/sluice/cmd/sluice/internal/bytesize"
	"github.com/sluiceio/sluice/cmd/sluice/internal/floor"
)

// floorCmd is the copy without anything to spare that `sluice bench cp-*`
// compares with.
type floorCmd struct {
	Src       string        `arg:"" help:"A directory of files and directories."`
	Dst       string        `arg:"" help:"Its copy, which is not there yet."`
	Threads   int           `default:"2" help:"Threads that copy."`
	BlockSize bytesize.Size `default:"256k" help:"Of one read and write."`
	Fsync     bool          `help:"Each file and directory, when it is written."`
}

// Run copies.
func (c floorCmd) Run() error {
	if c.Threads < 1 || c.BlockSize < 1 {
		return usageError{errors.New("floor: want at least one thread, and blocks of at least a byte")}
	}
	return floor.Copy(c.Dst, c.Src, floor.Options{Threads: c.Threads, BlockSize: int(c.BlockSize), Fsync: c.Fsync})
}
