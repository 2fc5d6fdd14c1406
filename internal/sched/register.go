package sched

import (
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/internal/driver"
)

// Register makes memory known to the driver, as driver.Registrar says. With a
// driver that is none it is an error that wraps errors.ErrUnsupported.
func (s *Scheduler) Register(mem []byte) (index int, err error) {
	if r, ok := s.drv.(driver.Registrar); ok {
		return r.Register(mem)
	}
	return 0, fmt.Errorf("the driver %s does not register memory: %w", s.drv.Info().Name, errors.ErrUnsupported)
}

// Unregister forgets memory that Register has made known. No operation that
// names it is in flight.
func (s *Scheduler) Unregister(index int) { s.drv.(driver.Registrar).Unregister(index) }
