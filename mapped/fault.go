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

// populate maps the pages first to last. It returns an error if they cannot be touched. The caller
// has m in use.
func (m *Mapping) populate(first, last int64) error {
	b := m.memory(first, last)
	if !m.mustTouch {
		if err := sys.PopulateRead(b); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return m.touch(b)
}

// touch reads a byte of each page of b, memory of m. A fault becomes an error.
func (m *Mapping) touch(b []byte) (err error) {
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
