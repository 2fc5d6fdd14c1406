package bench

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice/bench/bytesize"
	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/floor"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/otiai"
)

// Children has hidden commands of the program that has Command. Command starts the program again
// with one of them, so that each side of a comparison has its own process.
type Children struct {
	Worker workerCmd `cmd:"" hidden:"" help:"Perform loads for bench."`
	Crowd  crowdCmd  `cmd:"" hidden:"" help:"Read with many goroutines for bench."`
	Floor  floorCmd  `cmd:"" hidden:"" help:"Copy a tree for bench, without checks."`
	Otiai  otiaiCmd  `cmd:"" name:"otiai10" hidden:"" help:"Copy a tree for bench by the library otiai10/copy."`
}

// workerCmd is one side of a comparison.
type workerCmd struct{}

// Run performs loads until the parent closes the pipe.
func (workerCmd) Run() error {
	return load.Serve(pollable(os.Stdin), os.Stdout)
}

// crowdCmd is one side of the experiments with a slow disk.
type crowdCmd struct{}

// Run reads with as many goroutines as the parent asks for.
func (crowdCmd) Run() error {
	return crowd.Serve(pollable(os.Stdin), os.Stdout)
}

// floorCmd is a copy without checks, with which cp-* compare.
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
		return cli.UsageError{Err: errors.New("floor: want at least one thread, and blocks of at least a byte")}
	}
	return floor.Copy(c.Dst, c.Src, floor.Options{Threads: c.Threads, BlockSize: int(c.BlockSize), Fsync: c.Fsync})
}

// otiaiCmd is the library otiai10/copy as a program, which cp-* measure.
type otiaiCmd struct {
	Src     string `arg:"" help:"A directory."`
	Dst     string `arg:"" help:"Its copy, which is not there yet."`
	Workers int    `default:"8" help:"Files at a time."`
}

// Run copies.
func (c otiaiCmd) Run() error {
	if c.Workers < 1 {
		return cli.UsageError{Err: errors.New("otiai10: want at least one worker")}
	}
	return otiai.Copy(c.Dst, c.Src, c.Workers)
}
