// Command torture runs the long forms of tests that CI runs in a short form, and prints their
// figures.
//
//	go run ./dev/torture [-seed N] [-cell NAME] [-list] [-again] [family...]
//
// It must run in the root of the source. Some parts need root; a sentence names each part that it
// cannot run. A family is a name in families.go. Without a family all are run.
//
// A family has cells, such as one for each file system. A cell has runs, each with a seed. A run is
// a process of a test binary. Each finished run adds a line to .torture/FAMILY, so the command can
// be ended at any time and continued. -again forgets earlier runs, -list prints them, and -seed
// begins with another seed. -cell runs one cell.
//
// On Linux as root, each process has its own mounts, with all its files in memory: when it ends,
// even by a signal, they are gone, and its loop devices, too.
//
// A failed run prints the end of its output, and keeps all of it in .torture. The exit status is 1
// if any run failed.
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
	"slices"
	"strings"
	"syscall"
)

// options are the command line.
type options struct {
	seed     uint64
	cell     string
	list     bool
	again    bool
	families []family
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, o)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	flags.Uint64Var(&o.seed, "seed", 1, "the first `seed` of each cell; the others follow it")
	flags.StringVar(&o.cell, "cell", "", "run this `cell` alone, of each family that has it")
	flags.BoolVar(&o.list, "list", false, "print what was done, and run nothing")
	flags.BoolVar(&o.again, "again", false, "forget what was done")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.families, err = choose(flags.Args())
	if err == nil && o.cell != "" {
		o.families, err = only(o.families, o.cell)
	}
	return o, err
}

// choose returns the families with these names. Without names it returns all.
func choose(names []string) ([]family, error) {
	if len(names) == 0 {
		return families, nil
	}
	var chosen []family
	for _, name := range names {
		i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
		if i < 0 {
			var all []string
			for _, f := range families {
				all = append(all, f.name)
			}
			return nil, fmt.Errorf("unknown family %q; there are: %s", name, strings.Join(all, ", "))
		}
		chosen = append(chosen, families[i])
	}
	return chosen, nil
}

// only returns the families with a cell of this name, with that cell alone.
func only(all []family, name string) (some []family, err error) {
	var names []string
	for _, f := range all {
		for _, c := range f.cells {
			if c.name == name {
				f.cells = []cell{c}
				some = append(some, f)
				break
			}
			names = append(names, c.name)
		}
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("unknown cell %q; there are: %s", name, strings.Join(names, ", "))
	}
	return some, nil
}

// stateDir is the directory of the records of all runs, and of the output of failed runs.
const stateDir = ".torture"

var errFailed = errors.New("runs have failed")

func run(ctx context.Context, o options) error {
	if _, err := os.Stat("internal/test/fsx"); err != nil {
		return fmt.Errorf("not in the root of sluice's source: %w", err)
	}
	if err := os.MkdirAll(stateDir, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "sluice-torture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	commit := version(ctx)
	failed := false
	for _, f := range o.families {
		log, err := openLog(filepath.Join(stateDir, f.name), o.again)
		if err != nil {
			return err
		}
		if !o.list {
			err = f.run(ctx, o.seed, log, work, commit)
		}
		log.print(os.Stdout, f)
		failed = failed || log.failed(f)
		if err = errors.Join(err, log.close()); err != nil {
			return err
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

// version returns the source's commit, with "-dirty" if files were changed since.
func version(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
