package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// worker performs one load. It implements load.Performer.
type worker struct {
	load  load.Load
	files *files
	db    *database
	pacer *pacer
	run   func(load.SliceReq) (load.Slice, error)
	// remove is the directory to remove after the slice; "" if the database stays.
	remove string
}

var _ load.Performer = (*worker)(nil)

// begin prepares a load.
func begin(s load.Setup) (load.Performer, error) {
	if err := check(s.Load); err != nil {
		return nil, err
	}
	w := &worker{load: s.Load, pacer: newPacer(s.Load.Pace)}
	var err error
	if w.files, err = openFiles(s.Side, w.pacer); err != nil {
		return nil, err
	}
	if err := w.prepare(s); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func check(l load.Load) error {
	switch {
	case !l.Kind.Pebble():
		return fmt.Errorf("unknown kind of load %q; this program performs those of Pebble", l.Kind)
	case l.Size < valueSize:
		return fmt.Errorf("size of an operation is %d bytes; want at least %d, which is a record", l.Size, valueSize)
	case l.Goroutines <= 0:
		return fmt.Errorf("%d goroutines; want at least 1", l.Goroutines)
	case l.Records <= 0:
		return fmt.Errorf("a database of %d records; want at least 1", l.Records)
	case l.Cache <= 0:
		return fmt.Errorf("a block cache of %d bytes; want more than 0", l.Cache)
	}
	return nil
}

// prepare opens the database, and prepares it for the load.
func (w *worker) prepare(s load.Setup) error {
	switch s.Load.Kind {
	case load.PebbleLoad:
		return w.prepareLoad(s.Path)
	case load.PebbleSync:
		return w.prepareSync(s.Path)
	case load.PebbleGet:
		w.run = w.gets
		return w.prepareReads(s)
	case load.PebbleScan:
		w.run = w.scans
		return w.prepareReads(s)
	case load.PebbleCompact:
		return w.prepareCompaction(s)
	}
	return fmt.Errorf("unknown kind of load %q", s.Load.Kind)
}

// prepareReads opens the database, which the load does not change. The first worker of a load opens
// it only as a trial.
func (w *worker) prepareReads(s load.Setup) (err error) {
	if s.Prepared {
		if err := evict(s.Path); err != nil {
			return err
		}
	}
	if w.db, err = open(s.Path, w.files, w.load, readOnly); err != nil {
		return err
	}
	if s.Prepared {
		return w.db.warm()
	}
	return w.db.get(0)
}

// ownDirectory makes a directory beside the database. Close removes it.
func (w *worker) ownDirectory(path string) (dir string, err error) {
	dir, err = os.MkdirTemp(filepath.Dir(path), "copy-*")
	w.remove = dir
	return dir, err
}

// Run performs a slice.
func (w *worker) Run(req load.SliceReq) (load.Slice, error) { return w.run(req) }

// Explain returns sluice's Explain.
func (w *worker) Explain() string {
	if w.files.sched == nil {
		return ""
	}
	return w.files.sched.Explain()
}

// Stats returns sluice's Stats.
func (w *worker) Stats() any {
	if w.files.sched == nil {
		return nil
	}
	return w.files.sched.Stats()
}

// Close closes the database. A compaction that is still running fails.
func (w *worker) Close() error {
	w.pacer.stop()
	var err error
	if w.db != nil {
		err = w.db.close()
	}
	if w.remove != "" {
		err = errors.Join(err, os.RemoveAll(w.remove))
	}
	return err
}
