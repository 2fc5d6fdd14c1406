package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
)

const (
	// waitLook is the time between two looks at what is being recorded.
	waitLook = 20 * time.Millisecond
	// waitSilent is how long the command waits before it says for what.
	waitSilent = time.Second
)

// await waits until no process records into a file of dir any more: the program may have left some
// running. A signal ends the wait. If the wait takes long, await says for which processes it is.
func await(s cli.Streams, dir string, came <-chan os.Signal) {
	begin, said := time.Now(), false
	for {
		running := recording(dir)
		if len(running) == 0 {
			return
		}
		if !said && time.Since(begin) >= waitSilent {
			said = true
			fmt.Fprintf(s.Err, "sluice still waits for %s (Ctrl-C ends that)\n", processes(running))
		}
		select {
		case <-came:
			// timeout(1) sends its signal twice, and the second must not end what follows
			time.Sleep(signals.Grace / 10)
			return
		case <-time.After(waitLook):
		}
	}
}

// recording returns the numbers of the processes that record into files of dir: the names of these
// files.
func recording(dir string) (numbers []string) {
	names, _ := recordings(dir) // Run reports the error
	for _, name := range names {
		if inUse(name) {
			numbers = append(numbers, filepath.Base(name))
		}
	}
	return numbers
}

// processes names processes by their numbers.
func processes(numbers []string) string {
	word := "process "
	if len(numbers) > 1 {
		word = "processes "
	}
	return word + report.Printable(strings.Join(numbers, ", "))
}

// recordings returns the files of the recordings in dir. filepath.Glob would take some characters
// of dir's name for a pattern.
func recordings(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names, err
}
