// Command results runs the experiments of `sluice bench` in their published form, as far as this
// machine can. It rewrites the pages of docs/results: tables, pictures, and the output of --json.
//
//	go run ./dev/results [-quick] [-dir DIR] [-out DIR] [page...]
//
// It must run in the root of the source. A page is a name in pages.go. Without a page all are
// written, which takes several hours. With -quick all sizes are tiny: that tests this command, and
// the figures mean nothing, so the pages are written into a new directory.
//
// In a page it replaces the part between two marker lines (page.go). The rest is written by hand,
// and stays. A page whose experiment failed stays unchanged. The page and the last message name the
// parts that the machine could not run. The exit status is 1 if a requested page was not written.
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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	quick bool
	dir   string // the directory of the experiments' files
	out   string // the directory of the pages
	pages []page
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("results", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false, "tiny sizes, to test this command; the figures mean nothing")
	flags.StringVar(&o.dir, "dir", ".", "measure in this `directory`: its file system is what is measured")
	flags.StringVar(&o.out, "out", "", "write the pages in this `directory`; default docs/results, with -quick a new one")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var err error
	o.pages, err = choose(flags.Args())
	return o, err
}

// choose returns the pages with these names. Without names it returns all.
func choose(names []string) ([]page, error) {
	if len(names) == 0 {
		return pages, nil
	}
	var chosen []page
	for _, name := range names {
		i := slices.IndexFunc(pages, func(p page) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown page %q; there are %s", name, strings.Join(pageNames(), ", "))
		}
		chosen = append(chosen, pages[i])
	}
	return chosen, nil
}

func run(ctx context.Context, o options) error {
	if _, err := os.Stat("dev/results"); err != nil {
		return errors.New("not in the root of sluice's source; run make results there")
	}
	var err error
	if o.out, err = outDir(o); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "sluice-results-work-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	w := &writer{out: o.out, work: work, dir: o.dir, quick: o.quick, sluice: filepath.Join(work, "sluice"), machine: lookAround(o.dir)}
	if err := build(ctx, w.sluice); err != nil {
		return err
	}
	err = w.all(ctx, o.pages)
	fmt.Println("the pages are in", o.out)
	return err
}

// outDir returns the directory of the pages. For -quick it starts as a copy of the existing pages.
func outDir(o options) (string, error) {
	const published = "docs/results"
	switch {
	case o.out != "":
		return o.out, os.MkdirAll(o.out, 0o755)
	case !o.quick:
		return published, nil
	}
	dir, err := os.MkdirTemp("", "sluice-results-")
	if err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, os.DirFS(published))
}

// build builds the measuring command.
func build(ctx context.Context, exe string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", filepath.Dir(exe)+"/", "./cmd/sluice", "./cmd/sluice/sluice-tools")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build ./cmd/sluice: %w", err)
	}
	return nil
}
