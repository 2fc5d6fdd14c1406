// Command fixprograms runs `sluice fix -verify` on real programs, which runs their tests before
// and after. It writes a page with the numbers of changes and tests, and the calls that stay.
// The exit status is 1 if the result of a test differs.
//
//	go run ./dev/fixprograms [-rows FILE] [-o docs/results/fix.md] [name...]
//
// A name is a program's in programs.go; without a name all are run. With -rows the results stay in
// a file, and the page has all that are there: a program can be run alone. The command must run in
// the root of the library's module. It needs the module proxy.
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
)

var errDiffer = errors.New("there are tests whose results differ")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	page := flag.String("o", "", "write the page into this `file` and not to standard output")
	rows := flag.String("rows", "", "keep the results in this `file`, and write all that it has on the page")
	write := flag.Bool("write", false, "run no program, and write the page of the results in -rows")
	work := flag.String("work", "", "keep the programs in this `directory`, which must not exist")
	flag.Parse()
	var err error
	if *write {
		err = rewrite(*page, *rows)
	} else {
		err = run(ctx, *page, *rows, *work, flag.Args())
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fixprograms:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, page, rowsFile, work string, names []string) error {
	source, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if _, err := os.Stat("transparent"); err != nil {
		return fmt.Errorf("not in the root of sluice's module: %w", err)
	}
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	done, err := readRows(rowsFile)
	if err != nil {
		return err
	}
	if work == "" {
		if work, err = os.MkdirTemp("", "sluice-fix-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	} else if err := os.Mkdir(work, 0o777); err != nil {
		return err
	}
	if work, err = filepath.Abs(work); err != nil {
		return err
	}
	w := &workplace{source: source, dir: work, sluice: filepath.Join(work, "sluice.exe")}
	build := exec.CommandContext(ctx, "go", "build", "-o", w.sluice, "./cmd/sluice/sluice-tools")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build ./cmd/sluice/sluice-tools: %w", err)
	}
	if err := os.Setenv("SLUICE_SOURCE", source); err != nil { // for sluice fix
		return err
	}
	differ := false
	for _, p := range chosen {
		o, err := w.try(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		done[p.name] = o
		differ = differ || len(o.Fixed.Differ) > 0
		// What is done is not lost if the next program fails.
		if err := errors.Join(done.write(rowsFile), write(page, done.list())); err != nil {
			return err
		}
	}
	if page == "" {
		if err := writePage(os.Stdout, done.list()); err != nil {
			return err
		}
	}
	if differ {
		return errDiffer
	}
	return nil
}

// rewrite writes the page of kept results.
func rewrite(page, rowsFile string) error {
	done, err := readRows(rowsFile)
	if err != nil {
		return err
	}
	if page == "" {
		return writePage(os.Stdout, done.list())
	}
	return write(page, done.list())
}

// choose returns the programs with these names.
func choose(names []string) ([]*program, error) {
	if len(names) == 0 {
		return programs, nil
	}
	var chosen []*program
	for _, name := range names {
		i := slices.IndexFunc(programs, func(p *program) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no program %s; see programs.go", name)
		}
		chosen = append(chosen, programs[i])
	}
	return chosen, nil
}

// write writes the page to a file, if it has a name.
func write(name string, done []*outcome) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = writePage(f, done)
	if err1 := f.Close(); err == nil {
		err = err1
	}
	return err
}
