package experiments

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// run measures all programs in turn, in a new random order each round.
func (m copyMode) run(ctx context.Context, env *Env, name string, place Trees) (CopyMode, error) {
	defer env.Screen.Done(1)
	r := copyRounds{copyMode: m, place: place, contenders: env.chosen(m.programs(env.Params, place.About().Kind), place)}
	done := CopyMode{Mode: m.Mode, Title: m.title, Sum: r.sum()}
	if m.Cold && !place.About().Drops {
		done.Note = "not root: the contents of the files are dropped, names and inodes stay in memory"
	}
	for _, c := range r.contenders {
		done.Rows = append(done.Rows, CopyRow{
			Command: c.String(), Load: m.load(done.Sum),
			Result: &duel.Result{Side: load.Side{Name: c.Name, Way: wayOf(c)}},
		})
	}
	random := rand.New(rand.NewPCG(env.Seed, 0))
	first := 0
	if m.warm {
		first = -1
	}
	for n := first; n < m.rounds; n++ {
		for _, i := range random.Perm(len(r.contenders)) {
			env.Screen.Step(fmt.Sprintf("%s %s, round %d of %d: %s", name, m.Name, max(n+1, 0), m.rounds, r.contenders[i].Name))
			if err := r.copy(ctx, i, done.Rows[i], n == first, n >= 0); err != nil {
				finished := max(n, 0)
				done.cut(finished)
				return done, env.endStep(ctx, name+" "+m.Name, finished, m.rounds, err)
			}
		}
	}
	return done, nil
}

// cut keeps the first rounds of each program, so many, and drops the rest.
func (m *CopyMode) cut(rounds int) {
	for _, row := range m.Rows {
		row.Rounds = row.Rounds[:min(rounds, len(row.Rounds))]
	}
}

// copyRounds is a mode in progress.
type copyRounds struct {
	copyMode
	place      Trees
	contenders []copies.Contender
}

func (r copyRounds) sum() tree.Sum {
	if r.Part {
		return r.place.About().Part
	}
	return r.place.About().Sum
}

// copy performs one copy by program i, unless that program has failed before.
func (r copyRounds) copy(ctx context.Context, i int, row CopyRow, check, counts bool) error {
	if row.Unsupported != "" {
		return nil
	}
	u, err := r.place.Copy(ctx, r.contenders[i], r.Mode, check)
	if failed, ok := errors.AsType[*copies.FailedError](err); ok && ctx.Err() == nil {
		row.Unsupported, row.Rounds = failed.Error(), nil
		return nil
	}
	if err != nil {
		return err
	}
	row.Threads = max(row.Threads, u.Threads)
	if counts {
		files := float64(r.sum().Files)
		row.Rounds = append(row.Rounds, load.Slice{
			Ops: files, Elapsed: u.Elapsed, CPU: u.CPU, Resident: u.RSS,
		})
	}
	return nil
}

// load returns the load of a row. One operation is one file.
func (m copyMode) load(s tree.Sum) load.Load {
	kind := load.CopyHot
	if m.Cold {
		kind = load.CopyCold
	}
	return load.Load{Kind: kind, Size: int(max(1, s.Bytes/max(1, s.Files))), Goroutines: 1}
}

func wayOf(c copies.Contender) load.Way {
	if len(c.Argv) > 1 && c.Exe != "" && c.Argv[1] == "cp" {
		return load.ByCopy
	}
	return load.ByProgram
}
