package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// The environment of a process that performs a case. With fillVariable, a number of records, the
// process makes the database in its working directory, and ends.
const (
	caseVariable = "SLUICE_BENCH_DATABASE"
	fillVariable = "SLUICE_BENCH_FILL"
)

// work is the main function of this process.
func work(name string) error {
	c, err := caseOf(name)
	if err != nil {
		return err
	}
	if text := os.Getenv(fillVariable); text != "" {
		records, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		return c.fill(".", records)
	}
	return load.ServeBy(os.Stdin, os.Stdout, func(s load.Setup) (load.Performer, error) {
		w, err := c.begin(s)
		if err != nil { // an interface with a nil *worker inside is not nil
			return nil, err
		}
		return w, nil
	})
}

// worker performs one case. It implements load.Performer.
type worker struct {
	database
	load   load.Load
	remove string // the directory to remove at the end; "" if the database stays
}

func (c *testCase) begin(s load.Setup) (*worker, error) {
	w := &worker{load: s.Load}
	dir := s.Path
	var err error
	if c.fill == nil {
		dir, err = os.MkdirTemp(s.Path, "new-*")
		w.remove = dir
	} else {
		err = tree.Evict(dir)
	}
	if err == nil {
		w.database, err = c.open(dir, s)
	}
	if err != nil {
		return nil, errors.Join(err, w.removeAll())
	}
	return w, nil
}

// Run performs a slice.
func (w *worker) Run(req load.SliceReq) (load.Slice, error) {
	randoms := make([]*rand.Rand, w.load.Goroutines)
	for i := range randoms {
		randoms[i] = rand.New(rand.NewPCG(req.Seed, uint64(i)))
	}
	return load.Measure(req, w.load, func(client int) error { return w.do(client, randoms[client]) })
}

// Explain returns "": the program does not know sluice.
func (w *worker) Explain() string { return "" }

// Stats returns nothing.
func (w *worker) Stats() any { return nil }

// Close closes the database.
func (w *worker) Close() error { return errors.Join(w.database.Close(), w.removeAll()) }

func (w *worker) removeAll() error {
	if w.remove == "" {
		return nil
	}
	return os.RemoveAll(w.remove)
}
