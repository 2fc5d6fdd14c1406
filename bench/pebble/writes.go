package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// prepareSync makes a new database.
func (w *worker) prepareSync(path string) error {
	w.run = w.syncs
	dir, err := w.ownDirectory(path)
	if err != nil {
		return err
	}
	w.db, err = open(dir, w.files, w.load, readWrite)
	return err
}

// syncs measures batches of one record that are committed with Sync.
func (w *worker) syncs(req load.SliceReq) (load.Slice, error) {
	randoms := w.randoms(req.Seed)
	values := make([][]byte, w.load.Goroutines)
	for i := range values {
		values[i] = value(randoms[i])
	}
	return load.Measure(req, w.load, func(client int) error {
		return w.db.Set(key(randoms[client].Uint64()), values[client], pebble.Sync)
	})
}

// value returns a value that does not compress.
func value(random *rand.Rand) []byte {
	b := make([]byte, valueSize)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// prepareCompaction opens a copy of the database, because a compaction changes it.
func (w *worker) prepareCompaction(s load.Setup) error {
	w.run = w.getsBesideCompaction
	dir, err := w.ownDirectory(s.Path)
	if err != nil {
		return err
	}
	if err := linkDatabase(s.Path, dir); err != nil {
		return err
	}
	if err := evict(s.Path); err != nil {
		return err
	}
	if w.db, err = open(dir, w.files, w.load, readWrite); err != nil {
		return err
	}
	return w.db.warm()
}

// updates sets how many records are rewritten, one in updates, so that a compaction rewrites the
// whole database.
const updates = 200

// compact updates records and compacts the database, again and again until the pacer is stopped.
func (w *worker) compact(seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1<<63))
	v := value(random)
	for {
		b := w.db.NewBatch()
		for range max(1, w.db.records/updates) {
			if err := b.Set(key(random.Uint64N(w.db.records)), v, nil); err != nil {
				return err
			}
		}
		if err := w.db.Apply(b, pebble.NoSync); err != nil {
			return err
		}
		if err := w.db.Flush(); err != nil {
			return err
		}
		err := w.db.Compact(context.Background(), []byte{0}, bytes.Repeat([]byte{0xff}, keySize), false)
		select {
		case <-w.pacer.stopped:
			return nil // the error is the pacer's
		default:
		}
		if err != nil {
			return err
		}
	}
}

// compactionStart is the longest time until a compaction begins to write.
const compactionStart = 10 * time.Second

var errNoCompaction = errors.New("the compaction wrote nothing in " + compactionStart.String())

// getsBesideCompaction measures point reads while a compaction writes. The worker is of no more use
// afterwards.
func (w *worker) getsBesideCompaction(req load.SliceReq) (load.Slice, error) {
	var all sync.WaitGroup
	defer all.Wait()
	defer w.pacer.stop()
	ended := make(chan error, 1)
	all.Go(func() { ended <- w.compact(req.Seed) })
	for start := time.Now(); w.pacer.total() == 0; time.Sleep(time.Millisecond) {
		select {
		case err := <-ended:
			return load.Slice{}, err
		default:
		}
		if time.Since(start) > compactionStart {
			return load.Slice{}, errNoCompaction
		}
	}
	start, before := time.Now(), w.pacer.total()
	s, err := w.gets(req)
	s.Compaction = float64(w.pacer.total()-before) / time.Since(start).Seconds()
	select {
	case failed := <-ended:
		err = errors.Join(err, failed)
	default:
	}
	return s, err
}
