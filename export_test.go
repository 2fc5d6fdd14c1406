package sluice

import (
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/record"
)

// FailRings has err refuse s's second ring, and has that tried.
func (s *Scheduler) FailRings(err error) {
	s.h.Core.Ready()
	s.h.Core.SetRings(2, func(*record.Hook) (driver.Driver, error) { return nil, err })
	for device := range uint64(2) {
		s.h.Core.EngineAt(s.h.Core.Devices.Of(1 + device))
	}
}

// Compare has a governor of s compare plain calls that take so long with queued operations of 20 µs. Its device is none.
func (s *Scheduler) Compare(kind governor.Kind, plain time.Duration) {
	g, took := &s.h.Core.Devices.None().Governors[kind], [...]time.Duration{governor.Queue: 20 * time.Microsecond, governor.Plain: plain}
	for c := new(clock); ; *c += clock(took[g.Choose(64, 4, c)]) {
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
