package mapped

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/sluiceio/sluice/internal/sys"
)

// errFault is the error for memory that cannot be touched, although a read of the file may return
// its bytes. The file system is full and the page is a hole (tmpfs), or the memory has failed.
var errFault = errors.New("the memory cannot be touched: no room for the page, or bad memory")

// faultOf returns errFault if panicked is a fault in m's memory, and err if panicked is nil. Any
// other panic goes on: the memory at fault is the caller's.
func (m *Mapping) faultOf(panicked any, err error) error {
	switch fault := panicked.(type) {
	case nil:
		return err
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		if m.contains(fault.Addr()) {
			return errFault
		}
	}
	panic(panicked)
}

// touch reads a byte of each of the pages first to last, so that the caller's touch is no fault. A
// fault that the kernel cannot serve becomes an error. The caller has m in use.
func (m *Mapping) touch(first, last int64) (err error) {
	b := m.pages[first<<m.shift : min(int64(len(m.pages)), (last+1)<<m.shift)]
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = m.faultOf(recover(), err) }()
	sum := byte(0)
	for at := 0; at < len(b); at += 1 << m.shift {
		sum |= b[at]
	}
	runtime.KeepAlive(sum) // or the compiler would leave out the reads
	return nil
}

// contains reports whether m has memory at addr.
func (m *Mapping) contains(addr uintptr) bool {
	start := sys.AddressOf(m.pages)
	return addr >= start && addr-start < uintptr(len(m.pages))
}
