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

// checkLost returns io.ErrUnexpectedEOF if the file has lost some of the bytes that were copied to b
// from off on. In the page in which a truncated file ends, the kernel makes the lost bytes zeros, and
// touching them is no fault; only a page after that one cannot be touched. So a page with lost bytes
// has a zero as its last byte in b. checkLost asks for the size only if there is such a page: the
// question takes longer than a small copy.
func (m *Mapping) checkLost(b []byte, off int64) error {
	n, page := int64(len(b)), int64(1)<<m.shift
	for end := page - (m.lead+off)&(page-1); ; end += page { // where a page ends in b
		if b[min(end, n)-1] == 0 {
			_, err := m.end(off, n)
			return err
		}
		if end >= n {
			return nil
		}
	}
}

// contains reports whether m has memory at addr.
func (m *Mapping) contains(addr uintptr) bool {
	start := sys.AddressOf(m.pages)
	return addr >= start && addr-start < uintptr(len(m.pages))
}
