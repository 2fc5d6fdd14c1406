package load

import (
	"errors"

	"github.com/sluiceio/sluice"
)

// openSluice opens path on a Scheduler with the given driver; "" is the default Scheduler.
func openSluice(path string, flag int, driver string) (*target, error) {
	s, release, err := scheduler(driver)
	if err != nil {
		return nil, &unsupportedError{err.Error()}
	}
	f, err := s.OpenFile(path, flag, 0)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	return &target{
		file:    f,
		explain: s.Explain,
		stats:   func() any { return s.Stats() },
		close:   func() error { return errors.Join(f.Close(), release()) },
	}, nil
}

// scheduler returns a Scheduler and the function that releases it. For driver "" it is the default
// Scheduler, which is chosen as in a user's program (SLUICE_DRIVER) and never released.
func scheduler(driver string) (*sluice.Scheduler, func() error, error) {
	if driver == "" {
		s, err := sluice.Default()
		return s, func() error { return nil }, err
	}
	s, err := sluice.NewScheduler(sluice.Options{Driver: driver})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
