package sluice

import (
	"github.com/sluiceio/sluice/internal/driver"
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

// Closing reports whether Close of f has begun.
func (f *File) Closing() bool {
	if f.h.Core.Use() {
		f.h.Core.Done()
		return false
	}
	return true
}
