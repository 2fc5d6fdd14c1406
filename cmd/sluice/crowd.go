package main

import (
	"os"
	"os/signal"

	"github.com/sluiceio/sluice/cmd/sluice/internal/crowd"
)

// crowdCmd is one side of `sluice bench threads`, which starts it.
type crowdCmd struct{}

// Run reads as told. A Ctrl-C is the parent's.
func (crowdCmd) Run() error {
	signal.Ignore(os.Interrupt)
	return crowd.Serve(pollable(os.Stdin), os.Stdout)
}
