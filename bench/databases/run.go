package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

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
	tree          string // of sluice
}

func run(ctx context.Context, o options) (err error) {
	if o.write {
		kept, err := readRows(o.kept)
		if err != nil {
			return err
		}
		return write(o, nil, nil, kept)
	}
	p := &place{options: o}
	if p.dir, err = o.place(); err != nil {
		return err
	}
	if o.keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(p.dir)) }()
	}
	if p.tree, err = filepath.Abs("../.."); err != nil {
		return err
	}
	if p.group, err = cgroup.Memory(int64(o.size) / inMemory); err != nil {
		return fmt.Errorf("without a limit of memory all data would be in memory: %w", err)
	}
	defer func() { err = errors.Join(err, p.group.Close()) }()
	if err := p.build(ctx); err != nil {
		return err
	}
	kept, err := readRows(o.kept)
	if err != nil {
		return err
	}
	var rows []row
	var ways []wayRow
	for _, c := range o.cases {
		err := p.measure(ctx, c, func(goroutines int, results []*duel.Result) {
			switch r := newRow(c, goroutines, results); {
			case slices.Contains(programs, c):
				kept.set(r, o)
			case c.sides != nil:
				ways = append(ways, newWayRows(c, goroutines, results)...)
			default:
				rows = append(rows, r)
			}
		})
		err = errors.Join(err, kept.write(o.kept))
		if err != nil {
			o.page = "" // a page without some cases must not replace a complete one
			return errors.Join(fmt.Errorf("%s: %w", c.name, err), write(o, rows, ways, kept))
		}
	}
	if o.make {
		return nil
	}
	return write(o, rows, ways, kept)
}

// place makes the directory of all files.
func (o options) place() (string, error) {
	dir := o.keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp(o.dir, ".sluice-databases-*"); err != nil {
			return "", err
		}
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// build builds this program by go build, and by sluice build if a case needs it.
func (p *place) build(ctx context.Context) error {
	p.plain, p.sluice = filepath.Join(p.dir, "plain"), filepath.Join(p.dir, "sluice-build")
	if err := p.goBuild(ctx, "go", p.plain, ".", "."); err != nil || p.onlyWays() {
		return err
	}
	command := filepath.Join(p.dir, "sluice")
	if err := p.goBuild(ctx, "go", command, "../../cmd/sluice/sluice-tools", "."); err != nil {
		return err
	}
	return p.goBuild(ctx, command, p.sluice, ".", ".")
}

// goBuild builds a package in a directory by the go command or by sluice, unless the program is
// there.
func (p *place) goBuild(ctx context.Context, exe, output, dir, pkg string) error {
	if _, err := os.Stat(output); err == nil && p.keep != "" {
		return nil
	}
	fmt.Fprintf(os.Stderr, "%s build %s in %s\n", filepath.Base(exe), pkg, dir)
	cmd := program.Command(ctx, exe, "build", "-o", output, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if dir == "../../cmd/sluice/sluice-tools" { // the rest is in no workspace
		cmd.Env = append(cmd.Env, "GOWORK=")
	} else {
		cmd.Env = append(cmd.Env, "GOWORK=off", "SLUICE_SOURCE="+p.tree)
	}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s build %s in %s: %w: %s", filepath.Base(exe), pkg, dir, err, program.FirstLine(string(out)))
	}
	return nil
}

// onlyWays reports whether all cases compare ways to read, in the program of go build.
func (p *place) onlyWays() bool {
	return !slices.ContainsFunc(p.cases, func(c *testCase) bool { return c.sides == nil })
}

// builtSides are the two builds.
var builtSides = []load.Side{{Name: "go build", Way: load.ByGoBuild}, {Name: "sluice build", Way: load.BySluiceBuild}}

// measure measures a case with each of its numbers of goroutines, and calls add with the results.
func (p *place) measure(ctx context.Context, c *testCase, add func(goroutines int, results []*duel.Result)) (err error) {
	// With -keep there may be data of another size.
	dir := filepath.Join(p.dir, fmt.Sprintf("%s-%d", cmp.Or(c.data, c.name), p.size))
	if p.keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	records := int(p.size) / valueSize
	if c.command != nil {
		if err := c.command.build(ctx, p); err != nil {
			return err
		}
	}
	if err := p.prepare(ctx, c, dir, records); err != nil || p.make {
		return err
	}
	if c.command != nil {
		results, err := p.compareCommand(ctx, c, dir, records)
		if err == nil {
			add(1, results)
		}
		return err
	}
	sides := c.sides
	if sides == nil {
		sides = builtSides
	}
	arena := &duel.Arena{Path: dir, Programs: p.programs(c, sides)}
	if c.fill != nil { // a case that only writes uses more memory the faster it is
		arena.Group = p.group
		if err := p.group.LimitMemory(p.memory(c)); err != nil {
			return err
		}
	}
	for _, n := range c.goroutines {
		fmt.Fprintf(os.Stderr, "%s: %d goroutines\n", c.name, n)
		l := load.Load{Size: valueSize, Goroutines: n, Records: records, Sleeper: slices.Contains(readers, c)}
		results, err := arena.Compare(ctx, duel.Same(l, sides), duel.Plan{Time: p.time, Rounds: p.rounds})
		if err != nil {
			return err
		}
		add(n, results)
	}
	return nil
}

// programs returns the programs of a case's sides. The user's SLUICE_DRIVER and the like do not
// count.
func (p *place) programs(c *testCase, sides []load.Side) map[load.Way]duel.Program {
	all := map[load.Way]duel.Program{}
	for _, s := range sides {
		one := duel.Program{Exe: p.plain, Env: append(duel.Environment(""), caseVariable+"="+c.name)}
		if s.Way == load.BySluiceBuild {
			one.Exe = p.sluice
		}
		all[s.Way] = one
	}
	return all
}

// memory returns how much memory the processes of a case have.
func (o options) memory(c *testCase) int64 { return int64(o.size)/inMemory + c.own }

// prepare makes a case's directory and database, unless they are there.
func (p *place) prepare(ctx context.Context, c *testCase, dir string, records int) error {
	if _, err := os.Stat(dir); err == nil && p.keep != "" {
		return nil
	}
	made := dir + ".new" // what was interrupted does not count
	if err := errors.Join(os.RemoveAll(made), os.Mkdir(made, 0o777)); err != nil {
		return err
	}
	if c.fill != nil {
		fmt.Fprintf(os.Stderr, "%s: making the data\n", c.name)
		if err := p.fill(ctx, c, made, records); err != nil {
			return errors.Join(err, os.RemoveAll(made))
		}
		// Dirty pages cannot be dropped from the page cache. The processes would find the data
		// there, beyond their limit of memory.
		unix.Sync()
	}
	return os.Rename(made, dir)
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
