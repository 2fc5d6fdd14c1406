// Command mutate measures the tests. It changes the library in one place, runs the tests, and
// reports whether a test has failed.
//
//	go run ./dev/mutate [-n N] [-seed N] [-jobs N] [-bound D] [-list] [-again] [-only TEXT]
//
// It must run in the root of the source. The tree is not changed: the go command reads the changed
// file through an overlay. The function find in mutations.go makes the changes. A change is in the
// body of a function of a package that a user's program may contain, for this system. -seed draws
// the sample, and each statement has the same chance. A change that does not compile is not
// counted.
//
// The tests run in three parts, until one fails:
//
//   - tests of up to a second that reach the changed statement, by the coverage of a run of each
//     alone without the change;
//   - longer tests that reach it;
//   - all tests of these packages, because some reach the library in a child process.
//
// In each part, tests of the changed package come first, then tests of the root, then tests of
// packages that import it, the nearest first. A part ends when the tests' usual times exceed
// -bound, but tests of the changed package run however long they take. A test that hangs has
// failed. The tests run without root's rights, because a changed library may remove or write the
// wrong files.
//
// Each judged change adds a line to .mutate/SEED, so the command can be ended at any time and
// continued. -list prints the survivors so far. -again judges the survivors of -only anew.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

type options struct {
	n, jobs     int
	seed        uint64
	bound       time.Duration
	list, again bool
	only        string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 300, "how many mutations to judge")
	flag.IntVar(&o.jobs, "jobs", 2, "how many to judge at once")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the sample")
	flag.DurationVar(&o.bound, "bound", 90*time.Second, "how long the tests of a mutation may usually take")
	flag.BoolVar(&o.list, "list", false, "print what was done, and run nothing")
	flag.BoolVar(&o.again, "again", false, "judge the survivors once more")
	flag.StringVar(&o.only, "only", "", "judge those of the sample whose name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if err := os.MkdirAll(".mutate", 0o755); err != nil {
		return err
	}
	l, err := openLog(filepath.Join(".mutate", fmt.Sprint(o.seed)))
	if err != nil {
		return err
	}
	defer l.file.Close()
	if !o.list {
		if err := judgeAll(ctx, o, l); err != nil {
			return err
		}
	}
	l.print()
	return nil
}

// judgeAll judges mutations until n were counted.
func judgeAll(ctx context.Context, o options, l *log) error {
	all, err := list(ctx)
	if err != nil {
		return err
	}
	sample, err := draw(shipped(all), o.seed)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d: %d statements\n", o.seed, len(sample))
	dir, err := os.MkdirTemp("", "sluice-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &runner{dir: dir, all: all, bound: o.bound, seed: o.seed, baselines: make(map[*pkg]*baseline)}
	for _, p := range shipped(all) {
		r.covered = append(r.covered, p.ImportPath)
	}
	next := make(chan mutation)
	var workers sync.WaitGroup
	for range o.jobs {
		workers.Go(func() {
			for m := range next {
				start := time.Now()
				state, by, err := r.judge(ctx, m)
				if err == nil {
					err = l.add(entry{state: state, name: m.name(), by: by, took: time.Since(start)})
				}
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, m := range sample {
		if ctx.Err() != nil || l.counted() >= o.n {
			break
		}
		before := l.state(m.name())
		if strings.Contains(m.name(), o.only) && (before == "" || o.again && before == survived) {
			select {
			case next <- m:
			case <-ctx.Done():
			}
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// draw returns one mutation of each statement, in the order of the seed.
func draw(pkgs []*pkg, seed uint64) ([]mutation, error) {
	var groups [][]mutation
	for _, p := range pkgs {
		for _, name := range p.GoFiles {
			if name == "doc.go" || strings.HasPrefix(name, "explain") {
				continue
			}
			found, err := find(p, name)
			if err != nil {
				return nil, err
			}
			groups = append(groups, found...)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	sample := make([]mutation, len(groups))
	for i, g := range groups {
		sample[i] = g[r.IntN(len(g))]
	}
	return sample, nil
}
