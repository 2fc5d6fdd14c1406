// Command pebble is the program that `sluice bench pebble` measures: point reads, synced batches,
// scans, and point reads beside a compaction, on a Pebble database whose files are Pebble's own or
// those of package pebblevfs.
//
// It is a worker as that of package load: it reads requests from standard input and answers on
// standard output, a line of JSON each. A module of its own keeps Pebble away from all others.
package main

import (
	"fmt"
	"os"
	"os/signal"

	"github.com/sluiceio/sluice/bench/internal/load"
)

func main() {
	signal.Ignore(os.Interrupt) // Ctrl-C goes to the whole process group; the parent handles it
	if err := load.ServeBy(os.Stdin, os.Stdout, begin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
