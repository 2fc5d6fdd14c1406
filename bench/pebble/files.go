package main

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
)

// files opens the files of a side.
type files struct {
	fs    vfs.FS
	sched *sluice.Scheduler // nil for Pebble's own files
	class bool              // compactions have their own class
	cache int64             // the block cache's size as a multiple of the load's
}

// backgroundWeight is the weight of compactions and flushes. All else has weight 100.
const backgroundWeight = 10

// directCache is the block cache of Direct as a multiple of the other modes'. It takes half of the
// memory, which the other modes leave to the page cache.
const directCache = 8

// openFiles returns the files of a side. Compactions write at the pacer's rate.
func openFiles(side load.Side, p *pacer) (*files, error) {
	modes := map[load.Way]pebblevfs.Mode{
		load.ByPebbleBuffer: pebblevfs.Buffered,
		load.ByPebbleHybrid: pebblevfs.Hybrid,
		load.ByPebbleDirect: pebblevfs.Direct,
	}
	mode, ours := modes[side.Way]
	if !ours {
		if side.Way != load.ByPebble && side.Way != load.ByPebbleBuild {
			return nil, fmt.Errorf("unknown way %q", side.Way)
		}
		return &files{fs: pacedFS{vfs.Default, p}, cache: 1}, nil
	}
	s, err := sluice.NewScheduler(sluice.Options{Driver: side.Driver})
	if err != nil {
		return nil, load.Unsupported(err.Error())
	}
	o := pebblevfs.Options{Mode: mode, Scheduler: s}
	if side.Class != "" {
		if o.Background, err = s.Class(side.Class, sluice.ClassOptions{Weight: backgroundWeight}); err != nil {
			return nil, err
		}
	}
	fs, err := pebblevfs.New(o)
	if err != nil {
		return nil, err
	}
	f := &files{fs: pacedFS{fs, p}, sched: s, class: o.Background != nil, cache: 1}
	if mode == pebblevfs.Direct {
		f.cache = directCache
	}
	return f, nil
}
