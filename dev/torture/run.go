package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// run makes the runs that log lacks, cell by cell.
func (f family) run(ctx context.Context, seed uint64, log *log, work, commit string) error {
	binary := filepath.Join(work, f.name+".test")
	if out, err := f.build(ctx, binary).CombinedOutput(); err != nil {
		return fmt.Errorf("building the test of %s: %w\n%s", f.pkg, err, out)
	}
	for _, c := range f.cells {
		for i := range uint64(c.runs) {
			if log.done(c.name, seed+i) {
				continue
			}
			r, out, err := c.run(ctx, f, binary, seed+i)
			if err != nil {
				return err
			}
			r.commit = commit
			fmt.Printf("%s, %s, seed %d: %s\n", f.name, c.name, r.seed, r)
			if r.state == failed {
				name := filepath.Join(stateDir, fmt.Sprintf("%s-%s-%d.txt", f.name, strings.NewReplacer(" ", "_", "/", "_").Replace(c.name), r.seed))
				if err := os.WriteFile(name, out, 0o666); err != nil {
					return err
				}
				fmt.Printf("%s\nall of its output is in %s\n", tail(out), name)
			}
			if err := log.add(r); err != nil {
				return err
			}
			if r.state == skipped {
				break // others would be skipped, too
			}
		}
	}
	return nil
}

// build returns the command that builds the test binary.
func (f family) build(ctx context.Context, binary string) *exec.Cmd {
	args := []string{"test", "-c", "-tags=" + f.tags, "-o", binary, f.pkg}
	if f.built {
		args = append([]string{"run", "./cmd/sluice/sluice-tools", "test", "-vet=off"}, args[1:]...)
	}
	return exec.CommandContext(ctx, "go", args...)
}

// run makes one run in a new process.
func (c cell) run(ctx context.Context, f family, binary string, seed uint64) (r record, out []byte, err error) {
	r = record{cell: c.name, seed: seed, at: time.Now().UTC()}
	args := append([]string{"-test.v", "-test.run=" + f.test, "-test.timeout=8h"}, c.args...)
	cmd := isolated(ctx, binary, args)
	cmd.Env = append(append(cmd.Environ(), c.env...), "SLUICE_SEED="+strconv.FormatUint(seed, 10))
	cmd.Dir = strings.TrimPrefix(f.pkg, "./")
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err = cmd.Run()
	r.took = time.Since(r.at)
	if ctx.Err() != nil {
		return r, nil, ctx.Err()
	}
	if wrong := new(exec.ExitError); err != nil && !errors.As(err, &wrong) {
		return r, nil, err
	}
	r.judge(text.String(), err != nil)
	return r, text.Bytes(), nil
}

var (
	figure = regexp.MustCompile(`(?m): figure: ([0-9]+) ([a-z ]+)$`)
	skips  = regexp.MustCompile(`(?m)--- SKIP: \S+ .*$`)
	said   = regexp.MustCompile(`(?m)^ +[a-z_]+\.go:[0-9]+: (.*)$`)
)

// judge reads a run's figure and state from its output.
func (r *record) judge(text string, wrong bool) {
	for _, m := range figure.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			continue
		}
		r.figure += n
		r.unit = m[2]
	}
	switch {
	case wrong:
		r.state = failed
	case r.figure > 0:
		r.state = passed
	default:
		r.state, r.why = skipped, reason(text)
	}
}

// reason returns the message of the first skipped test. Package testing prints it before "--- SKIP"
// with -v.
func reason(text string) string {
	at := skips.FindStringIndex(text)
	if at == nil {
		return "the test made nothing and did not say why"
	}
	if before := said.FindAllStringSubmatch(text[:at[0]], -1); len(before) > 0 {
		return before[len(before)-1][1]
	}
	if m := said.FindStringSubmatch(text[at[1]:]); m != nil {
		return m[1]
	}
	return "the test did not say why"
}

// tail returns the last lines of a run's output.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-60):], "\n")
}
