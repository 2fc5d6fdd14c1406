package drivertest

import (
	"os"
	"syscall"
	"unsafe"

	"github.com/sluiceio/sluice/internal/driver"
)

// Register implements driver.Registrar.
func (b *broken) Register(mem []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed.Load() && !b.is("regclosed"):
		return 0, driver.ErrClosed
	case len(mem) == 0 && !b.is("regnothing"):
		return 0, syscall.EFAULT
	case b.is("reginflight") && len(b.taken) > b.reaped:
		return 0, os.ErrInvalid
	case b.is("regleaks") && b.known > 1000:
		return 0, syscall.ENOSPC
	}
	b.known++
	i := 0
	for b.memory[i] != nil && !b.is("regtwice") {
		i++
	}
	b.memory[i] = mem
	return i, nil
}

// Unregister implements driver.Registrar.
func (b *broken) Unregister(index int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.is("regkeeps") {
		delete(b.memory, index)
	}
}

// outside reports whether op's buffer is outside the memory that it names.
func (b *broken) outside(op *driver.Op) bool {
	transfers := op.Code == driver.Read || op.Code == driver.Write
	if op.Reg == 0 || !transfers || b.is("regblind") || len(op.Buf) == 0 && !b.is("regempty") {
		return false
	}
	b.mu.Lock()
	mem := b.memory[int(op.Reg-1)]
	b.mu.Unlock()
	if b.is("regplace") && len(mem) >= len(op.Buf) {
		op.Buf = mem[:len(op.Buf)]
	}
	lo, at := uintptr(unsafe.Pointer(unsafe.SliceData(mem))), uintptr(unsafe.Pointer(unsafe.SliceData(op.Buf)))
	hi, end := lo+uintptr(len(mem)), at+uintptr(len(op.Buf))
	if b.is("regedge") {
		hi++
	}
	return at < lo || end > hi
}
