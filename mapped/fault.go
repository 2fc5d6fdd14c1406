package mapped

import (
	"errors"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/sluiceio/sluice/internal/sys"
)

// errFault is the error for memory that cannot be touched, although a read of the file may have its
// bytes. The kernel gives the page no memory: its file system is full and the page is a hole (tmpfs),
// or the memory itself has failed.
var errFault = errors.New("the memory cannot be touched: no room for the page, or bad memory")

// copy copies the bytes at off to b. The caller uses m, which has as many. If the file has lost some of
// them, copy returns an error. It is errFault if the memory cannot be touched.
func (m *Mapping) copy(b []byte, off int64) error {
	ask, err := m.copyMapped(b, off)
	if err == nil && ask {
		// Not always: the question takes ten times as long as a small copy.
		_, err = m.end(off, int64(len(b)))
	}
	return err
}

// readFile copies the bytes at off to b from the file, and not from memory. The caller uses m.
func (m *Mapping) readFile(b []byte, off int64) error {
	_, err := m.file.ReadAt(b, m.start+m.lead+off)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// copyMapped is copy, but if mayBeLost is true, some of the bytes may be zeros where the file has lost them.
func (m *Mapping) copyMapped(b []byte, off int64) (mayBeLost bool, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = m.faultOf(recover(), err) }()
	copy(b, m.bytes[off:])
	return m.mayBeLost(off, int64(len(b))), nil
}

// faultOf returns errFault if a panic is of a fault in m's memory, and err if there was none. Another
// panic goes on: a fault at another address is in memory of the caller's.
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
// uses m.
func (m *Mapping) populate(first, last int64) error {
	b := m.memory(first, last)
	if !m.mustTouch {
		if err := sys.PopulateRead(b); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return m.touch(b)
}

// touch reads a byte of each page of b, memory of m, where a fault is not the end of the program.
func (m *Mapping) touch(b []byte) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = m.faultOf(recover(), err) }()
	sum := byte(0)
	for at := 0; at < len(b); at += 1 << m.shift {
		sum |= b[at]
	}
	runtime.KeepAlive(sum) // the bytes are read, although nobody wants them
	return nil
}

// zerosToAsk is how many zeros in a row may be lost bytes. With fewer, each integer whose last byte is 0
// would have copy ask for the size.
const zerosToAsk = 64

// mayBeLost reports whether some of the n bytes at off may be lost. In the page in which a truncated file
// ends, the kernel makes the lost bytes zeros, up to the end of the page, and touching them is no fault;
// only a page after that one cannot be touched. So the last byte of a page that is wanted is then a zero,
// and so are those after it. The caller uses m, and a touch of its memory may be a fault.
func (m *Mapping) mayBeLost(off, n int64) bool {
	page, all := int64(1)<<m.shift, int64(len(m.pages))
	for at, end := m.lead+off, m.lead+off+n; at < end; {
		next := at&^(page-1) + page
		last := min(next, end) - 1
		if zeros(m.pages[last:min(next, all, last+zerosToAsk)]) {
			return true
		}
		at = next
	}
	return false
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// contains reports whether m has memory at addr.
func (m *Mapping) contains(addr uintptr) bool {
	start := sys.AddressOf(m.pages)
	return addr >= start && addr-start < uintptr(len(m.pages))
}
