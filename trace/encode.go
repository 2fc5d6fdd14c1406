package trace

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"time"
)

// castagnoli returns the table of CRC-32C. Its first call makes the table, which takes 0.2 ms: as a
// variable, the table would delay the start of every program that imports the library.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// WriteTo writes the trace in the compact format, which takes about 25 bytes an operation. [Read]
// reads it. WriteTo implements io.WriterTo.
func (t *Trace) WriteTo(w io.Writer) (int64, error) {
	e := &encoder{w: w}
	e.put(append([]byte(magic), version))
	e.block(blockMeta, t.Meta.encode(nil))
	e.texts(blockFiles, t.Files)
	e.texts(blockNamed, t.Labels)
	if len(t.Classes) > 0 {
		e.block(blockNames, appendTexts(e.body(), t.Classes))
	}
	for i := 0; i < len(t.Ops); i += perBlock {
		ops := t.Ops[i:min(i+perBlock, len(t.Ops))]
		e.block(blockOps, encodeOps(e.body(), ops))
		e.rings(blockOps, i, len(ops), func(i int) uint8 { return ops[i].Ring })
		e.labels(i, ops)
	}
	for i := 0; i < len(t.Calls); i += perBlock {
		calls := t.Calls[i:min(i+perBlock, len(t.Calls))]
		e.block(blockCalls, encodeCalls(e.body(), calls))
		e.rings(blockCalls, i, len(calls), func(i int) uint8 { return calls[i].Ring })
	}
	b := e.body()
	for _, n := range []int{len(t.Files), len(t.Ops), len(t.Calls)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	e.block(blockEnd, b)
	return e.n, e.err
}

// texts writes names, in as many blocks as they need.
func (e *encoder) texts(kind byte, all []string) {
	for len(all) > 0 {
		n, size := 0, 0
		for n < len(all) && (n == 0 || size+len(all[n]) <= maxBlock/2) {
			size += len(all[n]) + binary.MaxVarintLen64
			n++
		}
		e.block(kind, appendTexts(e.body(), all[:n]))
		all = all[n:]
	}
}

// labels writes the labels of ops, which begin with operation first. It writes nothing if no
// operation has labels.
func (e *encoder) labels(first int, ops []Op) {
	b := binary.AppendUvarint(binary.AppendUvarint(e.body(), uint64(first)), uint64(len(ops)))
	all := int32(0)
	for i := range ops {
		all |= ops[i].Label
		b = binary.AppendUvarint(b, uint64(uint32(ops[i].Label)))
	}
	if all != 0 {
		e.block(blockLabel, b)
	}
}

// encoder writes blocks. After an error it writes nothing more.
type encoder struct {
	w     io.Writer
	n     int64
	err   error
	buf   []byte // the body of a block
	frame []byte // type and length of the block; later its checksum
}

// body returns an empty slice, to which the caller appends a block's body.
func (e *encoder) body() []byte { return e.buf[:0] }

func (e *encoder) put(b []byte) {
	if e.err != nil {
		return
	}
	n, err := e.w.Write(b)
	e.n += int64(n)
	e.err = err
}

// block writes a block.
func (e *encoder) block(kind byte, body []byte) {
	if len(body) > maxBlock && e.err == nil {
		e.err = fmt.Errorf("trace: a block of %d bytes is longer than the format allows (%d)", len(body), maxBlock)
	}
	e.buf = body
	e.frame = binary.AppendUvarint(append(e.frame[:0], kind), uint64(len(body)))
	sum := crc32.Update(crc32.Checksum(e.frame, castagnoli()), castagnoli(), body)
	e.put(e.frame)
	e.put(body)
	e.put(binary.LittleEndian.AppendUint32(e.frame[:0], sum))
}

// rings writes the rings of n operations or calls, which begin with number first. It writes nothing
// if all rings are 0.
func (e *encoder) rings(of byte, first, n int, at func(int) uint8) {
	b := append(e.body(), of)
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(first)), uint64(n))
	all := uint8(0)
	for i := range n {
		all |= at(i)
		b = append(b, at(i))
	}
	if all != 0 {
		e.block(blockRings, b)
	}
}

// encode appends m to b. decode reads the fields in the same order.
func (m *Meta) encode(b []byte) []byte {
	b = appendTexts(b, []string{m.Program, m.Driver, m.OS, m.Arch, m.Kernel, m.CPU, m.GoVersion})
	full := int64(0)
	if m.KeptOldest {
		full = 1
	}
	numbers := []int64{
		int64(m.PID), int64(m.Cores), int64(m.GoMaxProcs), m.Memory,
		nanoseconds(m.Start), int64(m.Duration), full, m.Lost, int64(m.LabelsEnd),
	}
	b = binary.AppendUvarint(b, uint64(len(numbers)))
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// nanoseconds returns t in Unix time, and 0 for the zero Time.
func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func appendTexts(b []byte, texts []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, s := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

func encodeOps(b []byte, ops []Op) []byte {
	b = binary.AppendUvarint(b, uint64(len(ops)))
	var last time.Duration
	for i := range ops {
		o := &ops[i]
		b = append(b, byte(o.Kind), byte(o.Path), driverNumber(o.Driver), o.Class)
		b = binary.AppendVarint(b, int64(o.Queued-last))
		b = binary.AppendVarint(b, int64(o.Submitted-o.Queued))
		b = binary.AppendVarint(b, int64(o.Completed-o.Submitted))
		b = binary.AppendVarint(b, int64(o.Woken-o.Completed))
		b = binary.AppendVarint(b, o.Offset)
		b = binary.AppendVarint(b, o.Size)
		b = binary.AppendVarint(b, o.Result)
		b = binary.AppendVarint(b, int64(o.File))
		b = binary.AppendVarint(b, int64(o.Slot))
		b = binary.AppendVarint(b, int64(o.Batch))
		b = binary.LittleEndian.AppendUint32(b, o.Goroutine)
		last = o.Queued
	}
	return b
}

func encodeCalls(b []byte, calls []Call) []byte {
	b = binary.AppendUvarint(b, uint64(len(calls)))
	var last time.Duration
	for i := range calls {
		c := &calls[i]
		b = append(b, syscallNumber(c.Syscall), driverNumber(c.Driver))
		b = binary.AppendVarint(b, int64(c.Start-last))
		b = binary.AppendVarint(b, int64(c.Duration))
		b = binary.AppendVarint(b, int64(c.Batch))
		b = binary.AppendVarint(b, int64(c.Wait))
		b = binary.AppendVarint(b, int64(c.Result))
		b = binary.AppendVarint(b, int64(c.Slot))
		b = binary.LittleEndian.AppendUint32(b, c.Goroutine)
		last = c.Start
	}
	return b
}
