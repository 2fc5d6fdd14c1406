package sched

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// Datasync is fdatasync(2), shared with nobody. What it loses is remembered as
// Sync's is, by which it fails when that has lost something. It returns early
// with ctx's error while it waits for its turn or for a place at the gate. The caller
// uses f.
func (s *Scheduler) Datasync(ctx context.Context, f *File) error {
	if s.classed.Load() {
		return s.syncInTurn(ctx, f, s.datasyncNow)
	}
	return s.datasyncNow(ctx, f)
}

// datasyncNow is Datasync of what has its turn, or needs none.
func (s *Scheduler) datasyncNow(ctx context.Context, f *File) error {
	y := &f.syncer
	y.mu.Lock()
	err := y.failed
	y.mu.Unlock()
	if err != nil {
		return err
	}
	p, err := s.enter(ctx, f)
	if err != nil {
		return err
	}
	res := s.plain(p, driver.Fdatasync, f, nil, 0)
	if res >= 0 {
		return nil
	}
	err = syscall.Errno(-res)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.note(err)
	return err
}
