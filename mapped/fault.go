package mapped

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/sluiceio/sluice/internal/sys"
)

// errFault is the error of a copy from memory that the kernel could not provide: the file was
// truncated since it was looked at, or the device has failed.
var errFault = errors.New("the file was truncated, or its device failed, while it was read")

// copy copies from, a part of m's memory, to b. The caller uses m.
func (m *Mapping) copy(b, from []byte) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		// A fault at another address is of b, which is the caller's.
		switch fault := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			if !m.contains(fault.Addr()) {
				panic(fault)
			}
			err = errFault
		default:
			panic(fault)
		}
	}()
	copy(b, from)
	return nil
}

// contains reports whether m has memory at addr.
func (m *Mapping) contains(addr uintptr) bool {
	start := sys.AddressOf(m.pages)
	return addr >= start && addr-start < uintptr(len(m.pages))
}
