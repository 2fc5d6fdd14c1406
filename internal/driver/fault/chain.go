package fault

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// linker is a Driver over one that performs chains, and wants to know memory.
type linker struct{ stagingRegistrar }

var _ driver.Linker = linker{}

// Files implements driver.Linker.
func (l linker) Files() int { return l.inner.(driver.Linker).Files() }

// The members of a chain are decided on one by one, in their order. What fails
// is a read of no file to the inner driver, so that it breaks the chain there as
// it would by itself; so is what follows a transfer that is cut short. A Close
// is performed and fails all the same, as close(2) does. Late, Gate and Full are
// of the chain if they are of its first.

// judgeChain decides on the members of a chain after its first, which has m.
func (d *Driver) judgeChain(m *mark) {
	broken := m.link(false)
	for op := m.op.Then; op != nil; op = op.Then {
		v := d.verdict(op)
		member := &mark{op: op, before: *op, verdict: v}
		broken = member.link(broken)
		m.rest = append(m.rest, member)
	}
}

// link disguises a member of a chain, which what was before it has broken or
// not, and tells whether it is broken after it.
func (m *mark) link(broken bool) bool {
	switch v := &m.verdict; {
	case broken:
		v.Errno, v.Short = syscall.ECANCELED, 0
		m.fail()
		m.op.Flags = 0
		return true
	case v.Errno != 0:
		if m.op.Code != driver.Close {
			m.fail()
		}
	case v.Short > 0:
		m.disguise()
	}
	ends := m.verdict.Errno != 0 || len(m.op.Buf) < len(m.before.Buf)
	return ends && m.before.Flags&driver.Always == 0
}

// fail makes the operation one that fails.
func (m *mark) fail() {
	m.op.Code, m.op.Flags, m.op.FD, m.op.Buf = driver.Read, m.op.Flags&driver.Always, -1, nil
}

// all returns the marks of a chain, or the only one.
func (m *mark) all() []*mark { return append([]*mark{m}, m.rest...) }
