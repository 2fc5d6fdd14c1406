package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sluiceio/sluice/bench/internal/cgroup"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
)

// inMemory says how much of a database fits the memory of its processes: 1/inMemory.
const inMemory = 4

// place is the directory of all files.
type place struct {
	options
	dir           string // holds all files below
	plain, sluice string // the program's two builds
	group         *cgroup.Group
}

func run(ctx context.Context, o options) (err error) {
	p := &place{options: o}
	if p.dir, err = os.MkdirTemp(o.dir, ".sluice-databases-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.dir)) }()
	if p.dir, err = filepath.Abs(p.dir); err != nil {
		return err
	}
	if p.group, err = cgroup.Memory(int64(o.size) / inMemory); err != nil {
		return fmt.Errorf("without a limit of memory all data would be in memory: %w", err)
	}
	defer func() { err = errors.Join(err, p.group.Close()) }()
	if err := p.build(ctx); err != nil {
		return err
	}
	var rows []row
	var ways []wayRow
	for _, c := range o.cases {
		err := p.measure(ctx, c, func(goroutines int, results []*duel.Result) {
			if c.sides == nil {
				rows = append(rows, newRow(c, goroutines, results))
			} else {
				ways = append(ways, newWayRows(c, goroutines, results)...)
			}
		})
		if err != nil {
			o.page = "" // a page without some cases must not replace a complete one
			return errors.Join(fmt.Errorf("%s: %w", c.name, err), write(o, rows, ways))
		}
	}
	return write(o, rows, ways)
}

// build builds this program by go build, and by sluice build if a case needs it.
func (p *place) build(ctx context.Context) error {
	p.plain, p.sluice = filepath.Join(p.dir, "plain"), filepath.Join(p.dir, "sluice-build")
	command := filepath.Join(p.dir, "sluice")
	for _, b := range []struct{ exe, output, dir, workspace string }{
		{"go", p.plain, ".", "off"},
		{"go", command, "../../cmd/sluice/sluice-tools", ""},
		{command, p.sluice, ".", "off"},
	}[:p.builds()] {
		fmt.Fprintf(os.Stderr, "%s build in %s\n", filepath.Base(b.exe), b.dir)
		cmd := program.Command(ctx, b.exe, "build", "-o", b.output, ".")
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK="+b.workspace)
		out, err := cmd.CombinedOutput()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s build in %s: %w: %s", filepath.Base(b.exe), b.dir, err, program.FirstLine(string(out)))
		}
	}
	return nil
}

// builds returns the number of necessary steps of build.
func (p *place) builds() int {
	if slices.ContainsFunc(p.cases, func(c *testCase) bool { return c.sides == nil }) {
		return 3
	}
	return 1
}

// builtSides are the two builds.
var builtSides = []load.Side{{Name: "go build", Way: load.ByGoBuild}, {Name: "sluice build", Way: load.BySluiceBuild}}

// measure measures a case with each of its numbers of goroutines, and calls add with the results.
func (p *place) measure(ctx context.Context, c *testCase, add func(goroutines int, results []*duel.Result)) (err error) {
	dir := filepath.Join(p.dir, c.name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	records := int(p.size) / valueSize
	if c.fill != nil {
		fmt.Fprintf(os.Stderr, "%s: making the database\n", c.name)
		if err := p.fill(ctx, c, dir, records); err != nil {
			return err
		}
	}
	sides := c.sides
	if sides == nil {
		sides = builtSides
	}
	programs := map[load.Way]duel.Program{}
	for _, s := range sides {
		programs[s.Way] = duel.Program{Exe: p.plain, Env: []string{caseVariable + "=" + c.name}}
	}
	if program, ok := programs[load.BySluiceBuild]; ok {
		program.Exe = p.sluice
		programs[load.BySluiceBuild] = program
	}
	arena := &duel.Arena{Path: dir, Programs: programs}
	if c.fill != nil { // a case that only writes uses more memory the faster it is
		arena.Group = p.group
	}
	for _, n := range c.goroutines {
		fmt.Fprintf(os.Stderr, "%s: %d goroutines\n", c.name, n)
		l := load.Load{Size: valueSize, Goroutines: n, Records: records, Sleeper: c.sides != nil}
		results, err := arena.Compare(ctx, duel.Same(l, sides), duel.Plan{Time: p.time, Rounds: p.rounds})
		if err != nil {
			return err
		}
		add(n, results)
	}
	return nil
}

// fill makes the database of a case, with a process outside the group.
func (p *place) fill(ctx context.Context, c *testCase, dir string, records int) error {
	cmd := program.Command(ctx, p.plain)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), caseVariable+"="+c.name, fillVariable+"="+strconv.Itoa(records))
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("making the database: %w: %s", err, program.FirstLine(string(out)))
	}
	return nil
}
