package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// randoms returns a source of random numbers for each client of a slice.
func (w *worker) randoms(seed uint64) []*rand.Rand {
	list := make([]*rand.Rand, w.load.Goroutines)
	for i := range list {
		list[i] = rand.New(rand.NewPCG(seed, uint64(i)))
	}
	return list
}

// gets measures point reads.
func (w *worker) gets(req load.SliceReq) (load.Slice, error) {
	randoms := w.randoms(req.Seed)
	return load.Measure(req, w.load, func(client int) error {
		return w.db.get(randoms[client].Uint64N(w.db.records))
	})
}

// scans measures scans. Each client begins at a different record, and continues at the beginning
// after the end. An operation reads the next records, together of the load's size.
func (w *worker) scans(req load.SliceReq) (_ load.Slice, err error) {
	var list []*scan
	defer func() {
		for _, s := range list {
			if closing := s.Close(); err == nil {
				err = closing
			}
		}
	}()
	for _, random := range w.randoms(req.Seed) {
		it, err := w.db.NewIter(nil)
		if err != nil {
			return load.Slice{}, err
		}
		list = append(list, &scan{it, it.SeekGE(key(random.Uint64N(w.db.records)))})
	}
	return load.Measure(req, w.load, func(client int) error {
		return list[client].next(w.load.Size / valueSize)
	})
}

// scan is a client that scans.
type scan struct {
	*pebble.Iterator
	valid bool // whether the iterator is at a record
}

// next reads n records.
func (s *scan) next(n int) error {
	for range n {
		if !s.valid {
			if s.valid = s.First(); !s.valid {
				return errors.Join(errors.New("scanning: the database has no records"), s.Error())
			}
		}
		v, err := s.ValueAndErr()
		if err != nil {
			return fmt.Errorf("scanning: %w", err)
		}
		if len(v) != valueSize {
			return fmt.Errorf("scanning: a record has %d bytes; want %d", len(v), valueSize)
		}
		s.valid = s.Next()
	}
	return s.Error()
}
