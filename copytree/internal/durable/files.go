package durable

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/iopath"
)

// inFlight is the number of fsyncs in flight. They wait for one disk to empty its cache, which
// serves them all at once.
const inFlight = 64

// syncFiles calls fsync for each file of a chunk, and closes the file.
func (s *Syncer) syncFiles(chunk []File) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(inFlight, len(chunk)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(chunk)); i = next.Add(1) - 1 {
				s.syncFile(chunk[i])
			}
		})
	}
	all.Wait()
}

func (s *Syncer) syncFile(f File) {
	core := iopath.NewFile(f.FD, false, false)
	core.Use()
	// No context may end the fsync: the kernel reports an error only once.
	err := s.cfg.Scheduler.Sync(context.Background(), core)
	core.Done()
	_ = s.cfg.Close(f.FD) // after the fsync its error has no news
	if err != nil {
		s.cfg.Failed(f, err)
	}
	if s.cfg.Synced != nil {
		s.cfg.Synced()
	}
}
