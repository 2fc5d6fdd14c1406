package sluice

import (
	"time"

	"github.com/sluiceio/sluice/internal/governor"
)

// Compare has a governor of s compare plain calls that take so long with queued operations of 20 µs. Its device is none.
func (s *Scheduler) Compare(kind governor.Kind, plain time.Duration) {
	g, took := &s.h.Core.DeviceOf(nil).Governors[kind], [...]time.Duration{governor.Queue: 20 * time.Microsecond, governor.Plain: plain}
	for c := new(clock); ; *c += clock(took[g.Choice()]) {
		g.Count(64, 4, c)
		if _, last := g.State(); last.Number > 0 {
			return
		}
	}
}

// clock is a governor.Journal.
type clock time.Duration

func (c *clock) Now() time.Duration { return time.Hour + time.Duration(*c) }

func (c *clock) Trial(governor.Trial) {}

// Closing reports whether Close of f has begun.
func (f *File) Closing() bool {
	if f.h.Core.Use() {
		f.h.Core.Done()
		return false
	}
	return true
}
