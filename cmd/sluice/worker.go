package main

import (
	"os"
	"os/signal"

	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
)

// workerCmd is the other end of the duel package's worker processes.
type workerCmd struct{}

// Run serves until its parent closes the pipe. A Ctrl-C goes to the whole
// process group; the parent decides what becomes of it.
func (workerCmd) Run() error {
	signal.Ignore(os.Interrupt)
	return load.Serve(pollable(os.Stdin), os.Stdout)
}
