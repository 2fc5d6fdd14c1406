// Package database makes a Pebble database to measure on. It builds the program of module
// bench/pebble twice, and makes a database in a temporary directory. A control group has less
// memory than the database has data.
package database

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/bench/internal/builds"
	"github.com/sluiceio/sluice/bench/internal/cgroup"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Spec describes a Database for Open.
type Spec struct {
	Dir       string // the place of the temporary directory
	Exe, Name string // the sluice command's file and Argv[0]
	Driver    string // for the program made by sluice build; "" is sluice's choice
	Load      load.Load
	Memory    int64 // bytes of all workers together, page cache included
}

// Database is a database with the programs that perform loads on it.
type Database struct {
	arena    duel.Arena
	dir      string
	programs *builds.Pair
	group    *cgroup.Group
}

// ErrMissing is the error of a machine where memory cannot be limited. Without a limit all data
// would be in memory, and the sides would not differ.
var ErrMissing = errors.New("it takes root, and control groups that limit memory")

// A slice may write as much as the database's size beside it: a compaction rewrites the database.
const copies = 1

// Open makes the database of spec.Load, which is a load.PebbleLoad. It calls progress with the
// current step and the completed fraction. The caller closes the Database, even in a panic. After
// an error, the end of ctx included, nothing is left.
func Open(ctx context.Context, spec Spec, progress func(what string, done float64)) (_ *Database, err error) {
	if err := scratch.CheckSpace(spec.Dir, room(spec.Load)); err != nil {
		return nil, err
	}
	d := &Database{}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.group, err = cgroup.Memory(spec.Memory); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	building := func(command string) { progress("building the program by "+command, 0) }
	if d.programs, err = builds.MakePebble(ctx, spec.Dir, spec.Exe, spec.Name, building); err != nil {
		return nil, err
	}
	if d.dir, err = os.MkdirTemp(spec.Dir, ".sluice-bench-*"); err != nil {
		return nil, err
	}
	if d.dir, err = filepath.Abs(d.dir); err != nil {
		return nil, err
	}
	d.arena = duel.Arena{Path: filepath.Join(d.dir, "db"), Programs: d.ways(spec.Driver)}
	fill := duel.Entry{Load: spec.Load, Side: load.Side{Name: "stock", Way: load.ByPebble}}
	if err := d.arena.Fill(ctx, fill, func(done float64) { progress("making the database", done) }); err != nil {
		return nil, err
	}
	d.arena.Group = d.group
	return d, nil
}

// recordSize is the size of a record's key and value.
const recordSize = 1016

// Records returns the number of records in a database of so many bytes.
func Records(bytes int64) int { return int(bytes / recordSize) }

// size returns the bytes of the records.
func size(l load.Load) int64 { return int64(l.Records) * recordSize }

// room returns the space that the database and its copies need. A --size near math.MaxInt64 must
// not overflow: every disk has room for a negative number.
func room(l load.Load) int64 {
	if size(l) > math.MaxInt64/(1+copies) {
		return math.MaxInt64
	}
	return (1 + copies) * size(l)
}

// ways returns the program of each way.
func (d *Database) ways(driver string) map[load.Way]duel.Program {
	env := duel.Environment(driver)
	ways := map[load.Way]duel.Program{load.ByPebbleBuild: {Exe: d.programs.Sluice, Env: env}}
	for _, way := range []load.Way{load.ByPebble, load.ByPebbleBuffer, load.ByPebbleHybrid, load.ByPebbleDirect} {
		ways[way] = duel.Program{Exe: d.programs.Plain, Env: env}
	}
	return ways
}

// Compare measures the entries in turn, as duel.Arena does.
func (d *Database) Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	return d.arena.Compare(ctx, entries, p)
}

// Close removes the database, the programs and the group.
func (d *Database) Close() error {
	var errs []error
	if d.dir != "" {
		errs = append(errs, os.RemoveAll(d.dir))
	}
	if d.programs != nil {
		errs = append(errs, d.programs.Close())
	}
	if d.group != nil {
		errs = append(errs, d.group.Close())
	}
	return errors.Join(errs...)
}
