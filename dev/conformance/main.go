// Command conformance runs other projects' tests, which do not know sluice: tests of the standard
// library and of a few programs. It runs them without sluice, and with os.File on sluice with each
// driver. It prints how many tests passed, failed and were skipped on each side, and each test
// whose result differs. The exit status is 1 if any differs.
//
//	go run ./dev/conformance [-drivers "uring aio pool"] [-off] [flags] [name...]
//
// A name is a package of the standard library (os, net/http), or a program in programs.go. Without
// a name all are run. The command must run in the root of this module, on Linux. It needs the
// module proxy for the programs, and 2 GB of disk in TMPDIR for all of them.
//
// A test that differs is run again on both sides, up to three times (-tries). It only counts if it
// differs each time, because some tests sometimes fail for other reasons. The output lists these
// runs.
//
// The side stress is `sluice test --stress`: -drivers stress. It has test binaries of its own, and
// also prints how many operations took which path.
//
// With -exec, another program runs the test binaries, such as nice or taskset. The times include
// that program's.
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
	exec    []string // the program that runs test binaries, and its arguments
	// seed and shortReads are for the side stress.
	seed       uint64
	shortReads bool
	names      []string
}

func parse() (options, error) {
	var o options
	drivers := flag.String("drivers", "uring aio pool", "the drivers to run with, and stress for the tests under stress")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the side stress")
	flag.BoolVar(&o.shortReads, "short-reads", false, "on the side stress, a Read may return fewer bytes than there are")
	flag.BoolVar(&o.off, "off", false, "use the build with sluice for the plain side too, with SLUICE_DRIVER=off")
	flag.BoolVar(&o.once, "once", false, "run all sides of a package at once; tests that differ are run again one side after the other")
	flag.StringVar(&o.work, "work", "", "build in this directory and leave it; binaries that it has already are not built again")
	flag.StringVar(&o.memory, "memory", "", "a directory in memory for the tests that make thousands of names")
	flag.IntVar(&o.tries, "tries", 3, "how often tests that differ are run again")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Minute, "the time limit for the tests of a package on one side")
	by := flag.String("exec", "", "run each test binary by this program, as go test -exec `xprog`: the binary and its arguments are appended")
	flag.Parse()
	o.drivers, o.names = strings.Fields(*drivers), flag.Args()
	var err error
	o.exec, err = xprog(*by)
	return o, err
}

// xprog splits the value of -exec. It looks the program up at once, because tests run in other
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
	if !signal.Ignored(os.Interrupt) { // ignored in the background jobs of a script
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
	w := &workplace{source: source, dir: o.work, memory: o.memory, off: o.off, builds: buildsFor(o.drivers, o.off)}
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
		s.plain.exec, s.sluice.exec, s.stress.exec = o.exec, o.exec, o.exec
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
