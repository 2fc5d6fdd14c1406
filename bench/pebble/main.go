// Command pebble is the program that `sluice bench pebble` measures: point reads, synced batches,
// scans, and point reads beside a compaction. It has a Pebble database on Pebble's own files or on
// package pebblevfs.
//
// It is a worker like package load's: it reads requests from standard input and answers on standard
// output, one JSON line each. It is a separate module to keep Pebble away from the other modules.
package main

import (
	"fmt"
	"os"
	"os/signal"

	"github.com/sluiceio/sluice/bench/internal/load"
)

func main() {
	signal.Ignore(os.Interrupt) // Ctrl-C reaches the whole process group; the parent handles it
	if err := load.ServeBy(os.Stdin, os.Stdout, begin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
