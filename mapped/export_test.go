package mapped

import (
	"context"
	"time"
)

// OutlastTest makes m remember until Forget: its timer ends nothing during a test. Call it before
// the first Load.
func (m *Mapping) OutlastTest() { m.period = 24 * time.Hour }

// Forget ends m's present generation, as its timer would.
func (m *Mapping) Forget() { m.resident.forget() }

// Knows reports whether m remembers that the byte at off is resident.
func (m *Mapping) Knows(off int64) bool { return m.resident.has(m.page(off)) }

// MayAsk reports whether m may ask the kernel which pages are resident.
func (m *Mapping) MayAsk() bool { return m.canTell }

// MustNotAsk makes m find out by reads alone which pages are resident.
func (m *Mapping) MustNotAsk() { m.canTell = false }

// LoadUntil is Load, but if ctx ends first it returns ctx's error.
func (m *Mapping) LoadUntil(ctx context.Context, off, n int64) ([]byte, error) {
	return m.load(ctx, off, n)
}
