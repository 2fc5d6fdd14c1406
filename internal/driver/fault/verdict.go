package fault

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// Verdict decides the fate of an operation. The zero value lets it pass.
type Verdict struct {
	// Errno, if not 0, is the error of the operation. It touches neither the file
	// nor the buffer.
	Errno syscall.Errno
	// Short is how many bytes at the end of a transfer are left out. At least one byte is
	// transferred, because zero bytes would mean the end of the file. For O_DIRECT it must be a
	// multiple of the alignment.
	Short int
	// Late is how many other operations are returned before this one. It is returned earlier if no
	// other operation is in flight.
	Late int
	// Gate, if not nil, holds the operation back after it was performed, until the
	// gate is opened or the driver closed.
	Gate *Gate
	// Full makes Submit take neither this operation nor later ones, as if the driver were full. It
	// has no effect if nothing is in flight: an empty driver has room.
	Full bool
}

// marks reports whether an operation with this verdict must be remembered.
func (v *Verdict) marks() bool {
	return v.Errno != 0 || v.Short > 0 || v.Late > 0 || v.Gate != nil
}

// disguise changes the operation for the inner driver.
func (m *mark) disguise() {
	switch v := &m.verdict; {
	case v.Errno != 0:
		m.op.Code, m.op.Flags, m.op.FD, m.op.Buf = driver.Nop, 0, -1, nil
	case v.Short > 0 && len(m.op.Buf) > 0:
		m.op.Buf = m.op.Buf[:max(1, len(m.op.Buf)-v.Short)]
	}
}

// undisguise restores the operation.
func (m *mark) undisguise() {
	m.op.Code, m.op.Flags, m.op.FD, m.op.Buf = m.original.Code, m.original.Flags, m.original.FD, m.original.Buf
}

// settle undisguises an operation that the inner driver has returned, and sets its result.
func (m *mark) settle() {
	m.undisguise()
	if m.verdict.Errno != 0 && m.op.Res != -int32(syscall.ECANCELED) {
		m.op.Res = -int32(m.verdict.Errno)
	}
}
