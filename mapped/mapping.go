package mapped

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/usecount"
)

// Mapping is a part of a file, mapped into memory for reading. Methods of the zero Mapping return
// os.ErrInvalid.
type Mapping struct {
	file  *sluice.File
	start int64  // the offset in the file of the first page
	pages []byte // the mapped memory: from the beginning of the first page to the end of the range
	bytes []byte // the range that Map was asked for: pages without the first lead bytes
	lead  int64
	shift uint // the size of a page is 1<<shift

	// canTell reports whether the kernel tells which pages are resident; see mayAsk.
	canTell bool

	resident residency
	uses     usecount.Count // calls in progress, which use the memory

	// timer ends a generation. It runs while armed is set, and starts before the first page of a
	// generation is remembered.
	timer *time.Timer
	armed atomic.Bool
	// period is how long a generation lasts. The goroutine that has set armed reads it. The timer's
	// goroutine writes it, and then clears armed.
	period time.Duration
	// asked is the number of formerly resident pages about which the kernel was asked in this
	// generation. lost is how many of them it had reclaimed.
	asked, lost atomic.Int64
}

// Map maps the n bytes at off of f, which the file must have; n 0 means up to the end of the file.
// The mapping shows later changes of the file. Reads are in f's class. Close the Mapping before f;
// an unclosed Mapping stays mapped until the program ends. If f has no disk I/O, or is open with
// O_DIRECT, the error is errors.ErrUnsupported.
func Map(f *sluice.File, off, n int64) (*Mapping, error) {
	if f == nil {
		return nil, os.ErrInvalid
	}
	h := inside.File(f)
	m, err := newMapping(f, off, n)
	if err != nil {
		return nil, h.Error("map", err)
	}
	return m, nil
}

// newMapping is Map, without the file's name in the error.
func newMapping(f *sluice.File, off, n int64) (*Mapping, error) {
	h := inside.File(f)
	n, err := lengthOf(h, off, n)
	if err != nil {
		return nil, err
	}
	m := &Mapping{file: f, shift: pageShift(), period: firstPeriod}
	m.lead = off & (1<<m.shift - 1)
	m.start = off - m.lead
	if n > math.MaxInt-m.lead {
		return nil, fmt.Errorf("%d bytes are more than the address space has", n)
	}
	err = handle.WithDescriptor(h.OS, func(fd int) (err error) {
		if m.canTell, err = mayAsk(fd); err == nil {
			m.pages, err = mmap(fd, m.start, int(m.lead+n))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	m.bytes = m.pages[m.lead : m.lead+n : m.lead+n]
	m.resident.init(m.page(n-1) + 1)
	m.uses.Init()
	m.timer = time.AfterFunc(math.MaxInt64, m.expire)
	return m, nil
}

// lengthOf returns how many bytes Map of n bytes at off maps. The error says why it cannot map
// them.
func lengthOf(h *handle.File, off, n int64) (int64, error) {
	switch {
	case h.IO == nil:
		return 0, fmt.Errorf("neither a regular file nor a block device: %w", errors.ErrUnsupported)
	case h.IO.Direct():
		return 0, fmt.Errorf("the file is open with O_DIRECT (open it without, to map it): %w", errors.ErrUnsupported)
	}
	if err := handle.CheckRange(off, n); err != nil {
		return 0, err
	}
	size, err := sizeOf(h)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		n = max(0, size-off)
	}
	switch {
	case off > size || n > size-off:
		return 0, fmt.Errorf("%d bytes at %d are not in the file, which has %d", n, off, size)
	case n == 0:
		return 0, fmt.Errorf("no bytes at %d: the file has %d", off, size)
	}
	return n, nil
}

// sizeOf returns the size of a file.
func sizeOf(h *handle.File) (size int64, err error) {
	if !h.IO.Use() {
		return 0, os.ErrClosed
	}
	defer h.IO.Done()
	return handle.Size(h.OS)
}

// Bytes returns all of the mapped range. Touching a page that is not resident waits in a page
// fault; see [Mapping.Load].
func (m *Mapping) Bytes() []byte { return m.bytes }

func (m *Mapping) size() int64 { return int64(len(m.bytes)) }

// page returns the number of the page with the byte at off of the Mapping.
func (m *Mapping) page(off int64) int64 { return (off + m.lead) >> m.shift }

// Close waits for the calls in progress, and unmaps the memory. Later calls, and a second Close,
// fail with os.ErrClosed.
func (m *Mapping) Close() error {
	if m.file == nil {
		return os.ErrInvalid
	}
	if !m.uses.Close(m.resident.close) {
		return m.error("unmap", os.ErrClosed)
	}
	m.timer.Stop()
	return m.error("unmap", munmap(m.pages))
}

// Load returns the n bytes at off of the Mapping, resident in memory. If they are not resident,
// Load waits as a read of the file does. Writing to them is a fault. The error is a *fs.PathError
// around the device's error. After the file has lost the bytes it is around io.ErrUnexpectedEOF,
// and after Close of the Mapping or the file around os.ErrClosed.
func (m *Mapping) Load(off, n int64) ([]byte, error) {
	if off >= 0 && n > 0 && n <= int64(len(m.bytes))-off {
		page := m.page(off)
		if m.resident.has(page) && m.page(off+n-1) == page {
			return m.bytes[off : off+n : off+n], nil
		}
	}
	return m.load(context.Background(), off, n)
}

// load is Load of pages that may be missing.
func (m *Mapping) load(ctx context.Context, off, n int64) ([]byte, error) {
	if err := m.check(off, n); err != nil {
		return nil, m.error("load", err)
	}
	if !m.uses.Use() {
		return nil, m.error("load", os.ErrClosed)
	}
	defer m.uses.Done()
	if n > 0 {
		if err := m.makeResident(ctx, off, n); err != nil {
			return nil, m.error("load", err)
		}
	}
	return m.bytes[off : off+n : off+n], nil
}

// check returns an error unless the n bytes at off are in the Mapping.
func (m *Mapping) check(off, n int64) error {
	if m.file == nil {
		return os.ErrInvalid
	}
	if err := handle.CheckRange(off, n); err != nil {
		return err
	}
	if size := m.size(); off > size || n > size-off {
		return fmt.Errorf("%d bytes at %d are not in the mapping, which has %d", n, off, size)
	}
	return nil
}

// error returns err as package os would, with the file's name; nil stays nil.
func (m *Mapping) error(op string, err error) error {
	if m.file == nil {
		return err // of check: the zero Mapping has no name
	}
	var named *os.PathError
	if errors.As(err, &named) { // from a read of the file
		err = named.Err
	}
	return inside.File(m.file).Error(op, err)
}
