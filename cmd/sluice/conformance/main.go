// Command conformance runs tests that know nothing of sluice, those of the standard
// library's packages and of programs from elsewhere, as they are and with os.File on
// sluice, once with each driver. It prints how many passed, failed and were skipped
// on each side, and each test whose result differs; the exit status is 1 if any does.
//
//	go run ./cmd/sluice/conformance [-drivers "uring aio pool"] [-off] [flags] [name...]
//
// A name is a package of the standard library (os, net/http), or one of the programs
// of programs.go; without one it is all of them. It runs in the root of this module, on
// Linux, needs the module proxy for the programs, and 2 GB of disk in TMPDIR for all.
//
// A test that differs is run again, on both sides, up to three times (-tries):
// only one that differs each time counts, so that a test which fails now and then by
// itself decides nothing. What was run again is in the output.
//
// With -exec each run of a test binary is one of that program (nice, taskset, one
// that waits until the machine is free), and the times have in them what it takes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// options are the command line.
type options struct {
	drivers []string
	off     bool
	once    bool
	work    string
	memory  string
	tries   int
	timeout time.Duration
	exec    []string // the program that test binaries are run by, with its arguments
	names   []string
}

func parse() (options, error) {
	var o options
	drivers := flag.String("drivers", "uring aio pool", "the drivers to run with")
	flag.BoolVar(&o.off, "off", false, "take the build with sluice for the plain side, too, with SLUICE_DRIVER=off")
	flag.BoolVar(&o.once, "once", false, "run all sides of a package at once; what differs is run again one after the other")
	flag.StringVar(&o.work, "work", "", "a directory to build in and to leave there: what it has is not built again")
	flag.StringVar(&o.memory, "memory", "", "a directory in memory for those tests that make thousands of names")
	flag.IntVar(&o.tries, "tries", 3, "how often what differs is run again")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Minute, "the longest that the tests of a package may take on one side")
	by := flag.String("exec", "", "run each test binary by this program, as `xprog` of go test -exec: its path and arguments follow")
	flag.Parse()
	o.drivers, o.names = strings.Fields(*drivers), flag.Args()
	var err error
	o.exec, err = xprog(*by)
	return o, err
}

// xprog splits the value of -exec. The program is found here, as tests run in other
// directories.
func xprog(value string) ([]string, error) {
	words := strings.Fields(value)
	if len(words) == 0 {
		return nil, nil
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("-exec: %w", err)
	}
	words[0], err = filepath.Abs(path)
	return words, err
}

var errDiffer = errors.New("there are differences")

func main() {
	ctx, stop := context.Background(), func() {}
	if !signal.Ignored(os.Interrupt) { // as it is in the background jobs of a script
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
	}
	o, err := parse()
	if err == nil {
		err = run(ctx, o)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	source, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if _, err := os.Stat("transparent"); err != nil {
		return fmt.Errorf("not in the root of sluice's module: %w", err)
	}
	w := &workplace{source: source, dir: o.work, memory: o.memory, off: o.off}
	if o.work == "" {
		if w.dir, err = os.MkdirTemp("", "sluice-conformance-"); err == nil {
			defer os.RemoveAll(w.dir)
		}
	} else if w.dir, err = filepath.Abs(o.work); err == nil {
		err = os.MkdirAll(w.dir, 0o777)
	}
	if err != nil {
		return err
	}
	suites, err := w.suites(ctx, o.names)
	if err != nil {
		return err
	}
	differ := false
	for _, s := range suites {
		s.plain.exec, s.sluice.exec = o.exec, o.exec
		some, err := s.judge(ctx, o)
		if err != nil {
			return err
		}
		differ = differ || some
	}
	if differ {
		return errDiffer
	}
	return nil
}
