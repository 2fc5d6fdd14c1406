package trace

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// fields decodes the body of a block. After an error its methods return zeros.
type fields struct {
	b   []byte
	err error
}

var errFields = errors.New("its fields end early")

func (f *fields) fail() { f.b, f.err = nil, errFields }

func (f *fields) uvarint() uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 {
		f.fail()
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *fields) varint() int64 {
	v, n := binary.Varint(f.b)
	if n <= 0 {
		f.fail()
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *fields) duration() time.Duration { return time.Duration(f.varint()) }

// take returns the next n bytes, or n zeros if fewer are left.
func (f *fields) take(n int) []byte {
	if len(f.b) < n {
		f.fail()
		return make([]byte, n)
	}
	b := f.b[:n]
	f.b = f.b[n:]
	return b
}

// count returns the number of entries that follow. An entry has least bytes or more, which bounds
// the number: a damaged file must not make Read allocate more memory than the file is long.
func (f *fields) count(least int) int {
	n := f.uvarint()
	if n > uint64(len(f.b)/least) {
		f.fail()
		return 0
	}
	return int(n)
}

func (f *fields) texts(to []string) []string {
	n := f.count(1)
	to = slices.Grow(to, n)
	for range n {
		size := f.uvarint()
		if size > uint64(len(f.b)) {
			f.fail()
			return to
		}
		to = append(to, string(f.take(int(size))))
	}
	return to
}

const (
	minOpSize   = 4 + 10 + 4 // bytes
	minCallSize = 2 + 6 + 4
)

func (f *fields) ops(to []Op) []Op {
	n := f.count(minOpSize)
	to = slices.Grow(to, n)
	var last time.Duration
	for range n {
		head := f.take(4)
		o := Op{Kind: Kind(head[0]), Path: Path(head[1]), Driver: driverName(head[2]), Class: head[3]}
		o.Queued = last + f.duration()
		o.Submitted = o.Queued + f.duration()
		o.Completed = o.Submitted + f.duration()
		o.Woken = o.Completed + f.duration()
		o.Offset, o.Size, o.Result = f.varint(), f.varint(), f.varint()
		o.File, o.Slot, o.Batch = int32(f.varint()), int32(f.varint()), int32(f.varint())
		o.Goroutine = binary.LittleEndian.Uint32(f.take(4))
		last = o.Queued
		to = append(to, o)
	}
	return to
}

func (f *fields) calls(to []Call) []Call {
	n := f.count(minCallSize)
	to = slices.Grow(to, n)
	var last time.Duration
	for range n {
		head := f.take(2)
		c := Call{Syscall: syscallName(head[0]), Trial: isTrial(head[0]), Driver: driverName(head[1])}
		c.Start = last + f.duration()
		c.Duration = f.duration()
		c.Batch, c.Wait, c.Result = int32(f.varint()), int32(f.varint()), int32(f.varint())
		c.Slot = int32(f.varint())
		c.Goroutine = binary.LittleEndian.Uint32(f.take(4))
		last = c.Start
		to = append(to, c)
	}
	return to
}

// decode reads the fields that encode has written.
func (m *Meta) decode(f *fields) {
	texts := f.texts(nil)
	for i, p := range []*string{&m.Program, &m.Driver, &m.OS, &m.Arch, &m.Kernel, &m.CPU, &m.GoVersion} {
		if i < len(texts) {
			*p = texts[i]
		}
	}
	var numbers [9]int64
	for i := range f.count(1) {
		if v := f.varint(); i < len(numbers) {
			numbers[i] = v
		}
	}
	m.PID, m.Cores, m.GoMaxProcs, m.Memory = int(numbers[0]), int(numbers[1]), int(numbers[2]), numbers[3]
	if numbers[4] != 0 {
		m.Start = time.Unix(0, numbers[4])
	}
	m.Duration, m.KeptOldest, m.Lost = time.Duration(numbers[5]), numbers[6] != 0, numbers[7]
	m.LabelsEnd = time.Duration(numbers[8])
}
