package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// loader writes all records, in the order of their keys.
type loader struct {
	*worker
	order []uint64 // the records' numbers, sorted by key
	done  int
	value *rand.ChaCha8
}

// prepareLoad makes a database.
func (w *worker) prepareLoad(path string) (err error) {
	l := &loader{worker: w, order: make([]uint64, w.load.Records), value: rand.NewChaCha8([32]byte{})}
	for i := range l.order {
		l.order[i] = uint64(i)
	}
	slices.SortFunc(l.order, func(a, b uint64) int { return bytes.Compare(key(a), key(b)) })
	w.run = l.run
	w.db, err = open(path, w.files, w.load, loading)
	return err
}

// batchSize is the number of bytes in a batch.
const batchSize = 1 << 20 // 1 MiB

// run writes for the time of the slice. Ops is the number of records in the database after it. When
// the database has all records, run compacts it.
func (l *loader) run(req load.SliceReq) (load.Slice, error) {
	for end := time.Now().Add(req.Time); l.done < len(l.order) && time.Now().Before(end); {
		if err := l.batch(); err != nil {
			return load.Slice{}, err
		}
	}
	if l.done == len(l.order) {
		if err := l.finish(); err != nil {
			return load.Slice{}, err
		}
	}
	return load.Slice{Ops: float64(l.done)}, nil
}

// batch writes some records.
func (l *loader) batch() error {
	b := l.db.NewBatch()
	v := make([]byte, valueSize)
	for ; l.done < len(l.order) && b.Len() < batchSize; l.done++ {
		_, _ = l.value.Read(v) // never fails
		if err := b.Set(key(l.order[l.done]), v, nil); err != nil {
			return err
		}
	}
	return l.db.Apply(b, pebble.NoSync)
}

// finish compacts all records into the lowest level.
func (l *loader) finish() error {
	if err := l.db.Flush(); err != nil {
		return err
	}
	return l.db.Compact(context.Background(), []byte{0}, bytes.Repeat([]byte{0xff}, keySize), true)
}
