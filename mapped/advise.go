package mapped

import (
	"os"

	"github.com/sluiceio/sluice"
)

// Range is a part of a Mapping.
type Range struct {
	Off int64 // where it begins: bytes from the beginning of the Mapping
	N   int64 // its length in bytes; a Range of none is skipped
}

// Prefetch has the system read the ranges into memory, and does not wait for the device: a Load that
// comes later finds what has arrived. See [sluice.File.Prefetch], which it calls.
func (m *Mapping) Prefetch(ranges ...Range) error {
	return m.each("prefetch", ranges, func(r Range) error {
		return m.file.Prefetch(m.start+m.lead+r.Off, r.N)
	})
}

// Advise tells the system how a range will be used, as [sluice.File.Advise] does, and madvise(2)
// for page faults. Unlike there, a Range of 0 bytes does nothing. AdviceDontNeed takes the pages out of the program's memory, and lets the page
// cache drop them.
func (m *Mapping) Advise(r Range, a sluice.Advice) error {
	return m.each("advise", []Range{r}, func(r Range) error {
		first, end := m.page(r.Off)<<m.shift, (m.page(r.Off+r.N-1)+1)<<m.shift
		if err := madvise(m.pages[first:min(end, int64(len(m.pages)))], a); err != nil {
			return err
		}
		if a == sluice.AdviceDontNeed {
			m.resident.forget()
		}
		return m.file.Advise(m.start+first, end-first, a)
	})
}

// each calls do for each range that is not empty, while it uses m.
func (m *Mapping) each(op string, ranges []Range, do func(r Range) error) error {
	if !m.uses.Use() {
		return m.error(op, os.ErrClosed)
	}
	defer m.uses.Done()
	for _, r := range ranges {
		if err := m.check(r.Off, r.N); err != nil {
			return m.error(op, err)
		}
	}
	for _, r := range ranges {
		if r.N == 0 {
			continue
		}
		if err := do(r); err != nil {
			return m.error(op, err)
		}
	}
	return nil
}
