package mapped

import (
	"os"

	"github.com/sluiceio/sluice"
)

// Advise tells the system how the n bytes at off will be used, by [sluice.File.Advise] and, for
// page faults, by madvise(2). n 0 means up to the end of the Mapping. AdviceDontNeed takes the
// pages out of the program's memory, and lets the page cache drop them.
func (m *Mapping) Advise(off, n int64, a sluice.Advice) error {
	if !m.uses.Use() {
		return m.error("advise", os.ErrClosed)
	}
	defer m.uses.Done()
	if err := m.check(off, n); err != nil {
		return m.error("advise", err)
	}
	if n == 0 {
		n = m.size() - off
	}
	if n == 0 {
		return nil // off is the end
	}
	return m.error("advise", m.advise(off, n, a))
}

func (m *Mapping) advise(off, n int64, a sluice.Advice) error {
	first, end := m.page(off)<<m.shift, (m.page(off+n-1)+1)<<m.shift
	if err := madvise(m.pages[first:min(end, int64(len(m.pages)))], a); err != nil {
		return err
	}
	if a == sluice.AdviceDontNeed {
		m.resident.forget()
	}
	return m.file.Advise(m.start+first, end-first, a)
}
