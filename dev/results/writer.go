package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/results"
)

// writer measures and writes pages.
type writer struct {
	out     string // the directory of the pages
	work    string // the directory of temporary files
	dir     string // the directory of the experiments' files
	quick   bool
	sluice  string // the command
	machine surroundings
}

// dataDir is the directory with pictures and raw results, below the pages.
const dataDir = "data"

// mostBytes is the most bytes of the pages and their data.
const mostBytes = 5 << 20 // 5 MiB

// all writes the pages and the table of all. It stops if ctx ends, and continues after other
// errors.
func (w *writer) all(ctx context.Context, chosen []page) error {
	var failed []string
	for _, p := range chosen {
		fmt.Fprintf(os.Stderr, "== %s\n", p.name)
		err := w.one(ctx, p)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted at %s: this page and those after it are as they were", p.name)
		}
		if err != nil {
			failed = append(failed, p.name)
			fmt.Printf("left out: %s: %v\n", p.name, err)
		}
	}
	err := errors.Join(w.contents(), w.checkSize())
	if len(failed) > 0 {
		err = errors.Join(err, fmt.Errorf("not written: %s", strings.Join(failed, ", ")))
	}
	return err
}

// one measures and writes a page.
func (w *writer) one(ctx context.Context, p page) error {
	args, without, err := w.machine.arguments(p, w.quick)
	if err != nil {
		return err
	}
	for _, text := range without {
		fmt.Printf("left out of %s: %s\n", p.name, text)
	}
	m, err := w.measure(ctx, p, args)
	if err != nil {
		return err
	}
	m.without = without
	if m.pictures, err = w.publish(p, m); err != nil {
		return err
	}
	return w.rewrite(p.name, func(old string) (string, error) { return splice(old, p, m) })
}

// measured is the result of a run.
type measured struct {
	args     []string
	without  []string
	run      *results.Run
	text     string // as printed
	report   string // the directory of the report
	pictures []string
	quick    bool
}

// measure runs sluice bench.
func (w *writer) measure(ctx context.Context, p page, args []string) (measured, error) {
	m := measured{args: args, report: filepath.Join(w.work, p.name), quick: w.quick}
	file := filepath.Join(w.work, p.name+".json")
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, w.sluice, slices.Concat([]string{"bench"}, args, []string{"--dir", w.dir, "--json", file, "--report", m.report})...)
	interruptible(cmd)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "COLUMNS=100")
	if err := cmd.Run(); err != nil {
		return m, fmt.Errorf("sluice bench %s: %w", strings.Join(args, " "), err)
	}
	m.text = out.String()
	var err error
	m.run, err = results.Read(file)
	return m, err
}

// publish copies the pictures and the raw results of a run, and removes the previous run's. It
// returns the names of the pictures.
func (w *writer) publish(p page, m measured) ([]string, error) {
	dir := filepath.Join(w.out, dataDir, p.name)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	raw, err := packed(m.run.Text)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json.gz"), raw, 0o644); err != nil {
		return nil, err
	}
	svgs, err := filepath.Glob(filepath.Join(m.report, "*.svg"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, picture := range svgs {
		text, err := os.ReadFile(picture)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(picture)), text, 0o644)
		}
		if err != nil {
			return nil, err
		}
		names = append(names, filepath.Base(picture))
	}
	return names, nil
}

// packed returns the JSON without white space, compressed. Equal text gives equal bytes.
func packed(text []byte) ([]byte, error) {
	var compact, b bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(compact.Bytes())
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// rewrite changes a page.
func (w *writer) rewrite(name string, change func(old string) (string, error)) error {
	file := filepath.Join(w.out, name+".md")
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := change(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// checkSize fails if the pages and their data have become too large for a repository.
func (w *writer) checkSize() error {
	var all int64
	largest, name := int64(0), ""
	err := filepath.WalkDir(w.out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all += info.Size()
		if info.Size() > largest {
			largest, name = info.Size(), path
		}
		return nil
	})
	if err == nil && all > mostBytes {
		err = fmt.Errorf("%s has %d KiB, and at most %d may be kept; the largest file is %s with %d KiB", w.out, all>>10, mostBytes>>10, name, largest>>10)
	}
	return err
}
