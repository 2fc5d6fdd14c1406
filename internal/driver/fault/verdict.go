package fault

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// Verdict is what an operation meets with. The zero value lets it pass.
type Verdict struct {
	// Errno, if not 0, is what the operation fails with. It touches neither
	// file nor buffer.
	Errno syscall.Errno
	// Short is how many bytes of a transfer are left out, at its end. At
	// least one byte is transferred, because none would mean the end of the
	// file. O_DIRECT wants a multiple of its alignment.
	Short int
	// Late is by how many operations this one is overtaken: it comes back
	// after that many others, or when no others are in flight.
	Late int
	// Gate, if not nil, holds the operation back, performed, until the gate
	// is opened or the driver closed.
	Gate *Gate
	// Full makes Submit take nothing from this operation on, as if the
	// driver were full. It is let pass if nothing is in flight: a driver that
	// is empty has room.
	Full bool
}

// marks reports whether an operation with this verdict must be remembered.
func (v *Verdict) marks() bool {
	return v.Errno != 0 || v.Short > 0 || v.Late > 0 || v.Gate != nil
}

// disguise makes the operation what the inner driver shall perform.
func (m *mark) disguise() {
	switch v := &m.verdict; {
	case v.Errno != 0:
		m.op.Code, m.op.Flags, m.op.FD, m.op.Buf = driver.Nop, 0, -1, nil
	case v.Short > 0 && len(m.op.Buf) > 0:
		m.op.Buf = m.op.Buf[:max(1, len(m.op.Buf)-v.Short)]
	}
}

// undisguise makes it what it was.
func (m *mark) undisguise() {
	m.op.Code, m.op.Flags, m.op.FD, m.op.Buf = m.before.Code, m.before.Flags, m.before.FD, m.before.Buf
}

// settle undisguises an operation that the inner driver is done with, and
// sets its result; of a chain, all of them.
func (m *mark) settle() {
	for _, next := range m.rest {
		next.settle()
	}
	m.undisguise()
	if m.verdict.Errno != 0 && m.op.Res != -int32(syscall.ECANCELED) {
		m.op.Res = -int32(m.verdict.Errno)
	}
}
