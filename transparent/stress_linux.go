//go:build sluice_stress && (amd64 || arm64)

package transparent

import (
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/stress"
)

// stressed sends all operations through the Scheduler, if the environment asks for stress. It
// returns what writes the counts when the program ends.
func (p *provider) stressed() (atExit []func()) {
	m := stress.Environment()
	if m == nil {
		return nil
	}
	p.counts = true
	return []func(){func() { m.Report(sum()) }}
}

// sum returns how the operations of all open Schedulers were made.
func sum() (c stress.Counts) {
	for _, s := range inside.Schedulers() {
		st := s.Stats()
		c.Cached += st.Cached
		c.Plain += st.Plain
		c.Queued += st.Queued
	}
	return c
}

// prepare keeps reads of f from looking into the page cache.
func (f *file) prepare() {
	if stress.Environment() != nil {
		f.core.SetNeverLooks()
	}
}

// portion returns the part of p that a Read is asked for.
func (f *file) portion(p []byte) []byte {
	m := stress.Environment()
	if m == nil || f.core.Direct() {
		return p
	}
	return m.Portion(p)
}
