package mapped

import (
	"context"
	"time"
)

// OutlastTest has m remember until Forget, as its timer ends nothing during a test. It is called
// before the first Load.
func (m *Mapping) OutlastTest() { m.period = 24 * time.Hour }

// Forget ends what m remembers, as its timer would.
func (m *Mapping) Forget() { m.resident.forget() }

// Knows reports whether m remembers that the byte at off is resident.
func (m *Mapping) Knows(off int64) bool { return m.resident.has(m.page(off)) }

// MayAsk reports whether m may ask the kernel which pages are resident.
func (m *Mapping) MayAsk() bool { return m.canTell }

// MustTouch has m find out by touching whether pages can be touched, as where the kernel cannot
// tell.
func (m *Mapping) MustTouch() { m.mustTouch = true }

// MustNotAsk has m find out by reads alone.
func (m *Mapping) MustNotAsk() { m.canTell = false }

// LoadUntil is Load, but if ctx ends first it returns ctx's error.
func (m *Mapping) LoadUntil(ctx context.Context, off, n int64) ([]byte, error) {
	return m.load(ctx, off, n)
}
