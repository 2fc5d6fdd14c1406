package fault

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// linker is a Driver over a driver.Linker that is a driver.Registrar, too.
type linker struct{ stagingRegistrar }

var _ driver.Linker = linker{}

// Files implements driver.Linker.
func (l linker) Files() int { return l.inner.(driver.Linker).Files() }

// Each operation of a chain gets its verdict, in their order. An operation that must fail becomes a
// read of no file in the inner driver, so that it breaks the chain there. The operations after a
// transfer that is cut short become such reads, too. A Close is performed, and then reported as
// failed, as close(2) does. Late, Gate and Full apply to a chain if its first operation has them.

// decideChain decides on the operations of a chain after the first, whose mark is m.
func (d *Driver) decideChain(m *mark) {
	broken := m.disguiseMember(false)
	for op := m.op.Then; op != nil; op = op.Then {
		v := d.verdict(op)
		member := &mark{op: op, original: *op, verdict: v}
		broken = member.disguiseMember(broken)
		m.rest = append(m.rest, member)
	}
}

// disguiseMember disguises an operation of a chain. broken says that an earlier one has broken the
// chain. It reports whether the chain is broken after this one.
func (m *mark) disguiseMember(broken bool) bool {
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
	ends := m.verdict.Errno != 0 || len(m.op.Buf) < len(m.original.Buf)
	return ends && m.original.Flags&driver.Always == 0
}

// fail makes the operation fail in the inner driver.
func (m *mark) fail() {
	m.op.Code, m.op.Flags, m.op.FD, m.op.Buf = driver.Read, m.op.Flags&driver.Always, -1, nil
}

// all returns the marks of all operations of a chain, or the only one.
func (m *mark) all() []*mark { return append([]*mark{m}, m.rest...) }
