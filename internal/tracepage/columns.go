package tracepage

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/sluiceio/sluice/trace"
)

// The page's data, deflated and in base64:
//
//	length of the head (4 bytes, the lowest first), the head in JSON, columns
//
// The head and each column are padded with zeros to a multiple of 8 bytes, so that the
// page can use a column as a typed array without a copy. data.js reads this.

// column is the values of one field, in the narrowest type that holds them all.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"` // u8, u16, u32, i32 or f64
	N    int    `json:"n"`
	data []byte
}

// columns are the columns of a page.
type columns []column

// add adds a column of the n values that at returns. Values beyond 2^53 lose their last
// digits, as all numbers in JavaScript do.
func (c *columns) add(name string, n int, at func(i int) int64) {
	least, most := int64(0), int64(0)
	for i := range n {
		v := at(i)
		least, most = min(least, v), max(most, v)
	}
	kind, width := narrowest(least, most)
	data := make([]byte, 0, n*width)
	for i := range n {
		data = appendValue(data, kind, at(i))
	}
	*c = append(*c, column{name, kind, n, data})
}

func narrowest(least, most int64) (kind string, width int) {
	switch {
	case least >= 0 && most <= math.MaxUint8:
		return "u8", 1
	case least >= 0 && most <= math.MaxUint16:
		return "u16", 2
	case least >= 0 && most <= math.MaxUint32:
		return "u32", 4
	case least >= math.MinInt32 && most <= math.MaxInt32:
		return "i32", 4
	}
	return "f64", 8
}

func appendValue(b []byte, kind string, v int64) []byte {
	switch kind {
	case "u8":
		return append(b, byte(v))
	case "u16":
		return binary.LittleEndian.AppendUint16(b, uint16(v))
	case "u32", "i32":
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)))
}

// encode returns the data of t's page.
func encode(t *trace.Trace, name string) ([]byte, error) {
	ops := inOrder(t.Ops, func(o trace.Op) time.Duration { return o.Queued })
	calls := inOrder(t.Calls, func(c trace.Call) time.Duration { return c.Start })
	h := newHead(t, name)
	c := append(h.opColumns(ops), h.callColumns(calls)...)
	h.Columns = c
	if len(ops) > 0 {
		h.FirstOp = int64(ops[0].Queued)
	}
	if len(calls) > 0 {
		h.FirstCall = int64(calls[0].Start)
	}
	text := h.json()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	err = writePadded(w, append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...))
	for _, col := range c {
		if err == nil {
			err = writePadded(w, col.data)
		}
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

func writePadded(w *flate.Writer, b []byte) error {
	_, err := w.Write(append(b, make([]byte, -len(b)&7)...))
	return err
}

// opColumns returns the columns of operations. A time is the difference from the
// operation's previous time. Queued is the difference from Queued of the operation before;
// the head has the first operation's.
func (h *head) opColumns(ops []trace.Op) columns {
	var c columns
	n := len(ops)
	c.add("queued", n, func(i int) int64 { return int64(ops[i].Queued - ops[max(0, i-1)].Queued) })
	c.add("inQueue", n, func(i int) int64 { return int64(ops[i].InQueue()) })
	c.add("inDevice", n, func(i int) int64 { return int64(ops[i].InDevice()) })
	c.add("waking", n, func(i int) int64 { return int64(ops[i].Waking()) })
	c.add("offset", n, func(i int) int64 { return ops[i].Offset })
	c.add("size", n, func(i int) int64 { return ops[i].Size })
	c.add("result", n, func(i int) int64 { return ops[i].Result })
	c.add("file", n, func(i int) int64 { return int64(ops[i].File) })
	c.add("batch", n, func(i int) int64 { return int64(ops[i].Batch) })
	c.add("goroutine", n, func(i int) int64 { return int64(ops[i].Goroutine) })
	c.add("kind", n, func(i int) int64 { return int64(ops[i].Kind) })
	c.add("path", n, func(i int) int64 { return int64(ops[i].Path) })
	c.add("driver", n, func(i int) int64 { return int64(slices.Index(h.Drivers, ops[i].Driver)) })
	c.add("class", n, func(i int) int64 { return int64(ops[i].Class) })
	c.add("ring", n, func(i int) int64 { return int64(ops[i].Ring) })
	c.add("label", n, func(i int) int64 { return int64(ops[i].Label) })
	return c
}

func (h *head) callColumns(calls []trace.Call) columns {
	var c columns
	n := len(calls)
	c.add("call.start", n, func(i int) int64 { return int64(calls[i].Start - calls[max(0, i-1)].Start) })
	c.add("call.duration", n, func(i int) int64 { return int64(calls[i].Duration) })
	c.add("call.batch", n, func(i int) int64 { return int64(calls[i].Batch) })
	c.add("call.wait", n, func(i int) int64 { return int64(calls[i].Wait) })
	c.add("call.result", n, func(i int) int64 { return int64(calls[i].Result) })
	c.add("call.syscall", n, func(i int) int64 { return int64(slices.Index(h.Syscalls, calls[i].Syscall)) })
	c.add("call.driver", n, func(i int) int64 { return int64(slices.Index(h.Drivers, calls[i].Driver)) })
	c.add("call.ring", n, func(i int) int64 { return int64(calls[i].Ring) })
	return c
}

// inOrder returns s sorted by time: the page uses binary search, and a trace that another
// program has written may have any order.
func inOrder[T any](s []T, at func(T) time.Duration) []T {
	byTime := func(a, b T) int { return cmp.Compare(at(a), at(b)) }
	if slices.IsSortedFunc(s, byTime) {
		return s
	}
	s = slices.Clone(s)
	slices.SortStableFunc(s, byTime)
	return s
}
