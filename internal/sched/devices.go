package sched

import (
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
)

// Ready has the driver chosen, unless that is done. See iopath.Paths.Ready.
func (s *Scheduler) Ready() { s.paths.Ready() }

// Driver describes the driver. It is the zero Info if there is none.
func (s *Scheduler) Driver() driver.Info {
	s.Ready()
	return s.paths.Driver
}

// Rings returns the rings. There are none before Ready.
func (s *Scheduler) Rings() *ioengine.Rings { return &s.paths.Engines }

// Devices returns the devices that somebody has, with their budgets.
func (s *Scheduler) Devices() *device.Table { return &s.paths.Devices }

// DeviceOf returns the device that f is on, or the one that stands for none if f is nil.
func (s *Scheduler) DeviceOf(f *File) *device.Device { return s.paths.DeviceOf(f) }
