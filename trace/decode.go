package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/sluiceio/sluice/internal/record"
)

// ErrFormat is in an error of [Read] (errors.Is) if the file is not a trace, or is damaged. The
// error's message says where.
var ErrFormat = errors.New("not a whole trace")

// formatError is an ErrFormat with the message of another error.
type formatError struct{ error }

func (formatError) Is(target error) bool { return target == ErrFormat }

func (e formatError) Unwrap() error { return e.error }

// formatErrorf returns an ErrFormat with that message.
func formatErrorf(format string, args ...any) error {
	return formatError{fmt.Errorf("trace: "+format, args...)}
}

// Read reads a trace that WriteTo has written, or the file of [Create] or SLUICE_TRACE. If r has
// anything else, or a damaged file, the error is an [ErrFormat]; other errors are r's. Only files
// of WriteTo have checksums.
//
// A program may still record in the file. Read leaves out events that are being recorded at that
// moment, if r is an io.ReaderAt and an io.Seeker, as a file is. From a pipe, Read may return a mix
// of two events.
func Read(r io.Reader) (*Trace, error) {
	again := readAgain(r)
	d := &decoder{r: bufio.NewReaderSize(r, 64<<10)}
	if b, _ := d.r.Peek(len(record.Magic)); string(b) == record.Magic {
		return readRecording(d.r, again)
	}
	t := &Trace{}
	if err := d.header(); err != nil {
		return nil, err
	}
	for {
		kind, body, err := d.block()
		if err != nil {
			return nil, err
		}
		if err := t.take(kind, &fields{b: body}); err != nil {
			return nil, formatErrorf("damaged: the block before byte %d: %w", d.at, err)
		}
		if kind == blockEnd {
			return t, nil
		}
	}
}

// readAgain returns a reader of r from its position on, for a second reading. It returns nil if r
// cannot be read twice.
func readAgain(r io.Reader) io.ReaderAt {
	f, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok {
		return nil
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil { // r is a pipe
		return nil
	}
	return io.NewSectionReader(f, at, math.MaxInt64-at)
}

// decoder reads the blocks of a file.
type decoder struct {
	r    *bufio.Reader
	at   int64 // bytes read
	body []byte
}

func (d *decoder) header() error {
	b := make([]byte, len(magic)+1)
	n, err := io.ReadFull(d.r, b)
	d.at += int64(n)
	switch {
	case err != nil && !ended(err):
		return fmt.Errorf("trace: %w", err)
	case n == 0:
		return formatErrorf("the file is empty")
	}
	if string(b[:len(magic)]) != magic {
		return formatErrorf("not a trace of sluice: the file begins with %q", b[:min(n, len(magic))])
	}
	if b[len(magic)] != version {
		return formatErrorf("the file has format version %d; this program reads version %d", b[len(magic)], version)
	}
	return nil
}

// block reads a block and checks its checksum. The body is valid until the next call.
func (d *decoder) block() (kind byte, body []byte, err error) {
	start := d.at
	head, size, err := d.frame()
	if err != nil {
		return 0, nil, d.short(err)
	}
	if size > maxBlock {
		return 0, nil, formatErrorf("damaged at byte %d: the length of a block is %d bytes", start, size)
	}
	if cap(d.body) < int(size)+4 {
		d.body = make([]byte, size+4)
	}
	all := d.body[:size+4]
	n, err := io.ReadFull(d.r, all)
	d.at += int64(n)
	if err != nil {
		return 0, nil, d.short(err)
	}
	body = all[:size]
	sum := crc32.Update(crc32.Checksum(head, castagnoli()), castagnoli(), body)
	if sum != binary.LittleEndian.Uint32(all[size:]) {
		return 0, nil, formatErrorf("damaged: the block at byte %d has a wrong checksum", start)
	}
	return head[0], body, nil
}

// frame reads the type and the length of a block.
func (d *decoder) frame() (head []byte, size uint64, err error) {
	head = make([]byte, 0, 1+binary.MaxVarintLen64)
	for len(head) < cap(head) {
		c, err := d.r.ReadByte()
		if err != nil {
			return nil, 0, err
		}
		d.at++
		head = append(head, c)
		if len(head) > 1 && c < 0x80 {
			break
		}
	}
	size, n := binary.Uvarint(head[1:])
	if n <= 0 {
		size = maxBlock + 1 // not a valid uvarint
	}
	return head, size, nil
}

// short returns the error of a read: err is io.EOF if the file ended before its last block.
func (d *decoder) short(err error) error {
	if ended(err) {
		return formatErrorf("the file is cut off at byte %d", d.at)
	}
	return fmt.Errorf("trace: %w", err)
}

// ended reports whether err is the end of the file.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// take adds the body of a block to t.
func (t *Trace) take(kind byte, f *fields) error {
	switch kind {
	case blockMeta:
		t.Meta.decode(f)
	case blockFiles:
		t.Files = f.texts(t.Files)
	case blockNames:
		t.Classes = f.texts(nil)
	case blockOps:
		t.Ops = f.ops(t.Ops)
	case blockCalls:
		t.Calls = f.calls(t.Calls)
	case blockRings:
		t.rings(f)
	case blockNamed:
		t.Labels = f.texts(t.Labels)
	case blockLabel:
		t.labels(f)
	case blockEnd:
		return t.checkEnd(f)
	}
	return f.err
}

// rings sets the rings of operations or calls of earlier blocks.
func (t *Trace) rings(f *fields) {
	of, first, n := f.take(1)[0], f.uvarint(), f.count(1)
	have := len(t.Ops)
	if of == blockCalls {
		have = len(t.Calls)
	}
	if of != blockOps && of != blockCalls || first > uint64(have) || uint64(n) > uint64(have)-first {
		f.fail()
		return
	}
	for i, ring := range f.take(n) {
		if of == blockOps {
			t.Ops[int(first)+i].Ring = ring
		} else {
			t.Calls[int(first)+i].Ring = ring
		}
	}
}

// labels sets the labels of operations of earlier blocks.
func (t *Trace) labels(f *fields) {
	first, n, have := f.uvarint(), f.count(1), len(t.Ops)
	if first > uint64(have) || uint64(n) > uint64(have)-first {
		f.fail()
		return
	}
	for i := range n {
		label := f.uvarint()
		if label > math.MaxInt32 {
			f.fail()
			return
		}
		t.Ops[int(first)+i].Label = int32(label)
	}
}

// checkEnd checks the counts of the last block, and then t.
func (t *Trace) checkEnd(f *fields) error {
	for _, have := range []int{len(t.Files), len(t.Ops), len(t.Calls)} {
		if want := f.uvarint(); f.err == nil && want != uint64(have) {
			return fmt.Errorf("the file should have %d entries, and has %d", want, have)
		}
	}
	if f.err != nil {
		return f.err
	}
	t.Classes = t.classNames()
	return t.check()
}

// check returns an error for a value on which other code relies, such as an index.
func (t *Trace) check() error {
	for i := range t.Ops {
		switch o := &t.Ops[i]; {
		case o.File < 0 || int(o.File) >= max(1, len(t.Files)):
			return fmt.Errorf("operation %d has file %d of %d", i, o.File, len(t.Files))
		case o.Label < 0 || int(o.Label) >= max(1, len(t.Labels)):
			return fmt.Errorf("operation %d has label %d of %d", i, o.Label, len(t.Labels))
		case o.Slot < 0 || int(o.Slot) >= len(t.Ops):
			return fmt.Errorf("operation %d has slot %d, which is out of range", i, o.Slot)
		case o.Queued < 0 || o.InQueue() < 0 || o.InDevice() < 0 || o.Waking() < 0:
			return fmt.Errorf("operation %d ends before it begins", i)
		}
	}
	for i := range t.Calls {
		switch c := &t.Calls[i]; {
		case c.Slot < 0 || int(c.Slot) >= len(t.Calls):
			return fmt.Errorf("call %d has slot %d, which is out of range", i, c.Slot)
		case c.Start < 0 || c.Duration < 0:
			return fmt.Errorf("call %d ends before it begins", i)
		}
	}
	return nil
}
