package ioengine

import (
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// newEngine returns an Engine on drv.
func newEngine(drv driver.Driver) *Engine {
	return New(drv, &Rings{Now: func() time.Duration { return time.Duration(record.Now()) }}, new(record.Hook))
}

// newRequest makes an operation that a goroutine can wait for.
func newRequest(off int64) *Request {
	r := &Request{done: make(chan struct{}, 1)}
	r.Op = driver.Op{Off: off, Owner: r}
	return r
}

// The fields that several processors write for a read are on few cache lines, and no two Requests
// share one.
func TestRequestLayout(t *testing.T) {
	const line = 64
	if strconv.IntSize != 64 {
		return // there the fields take less
	}
	var r Request
	for _, c := range []struct {
		name              string
		first, end, lines uintptr
	}{
		{"Op.Code to Op.Token", unsafe.Offsetof(r.Op.Code), unsafe.Offsetof(r.Op.Token) + 8, 1},
		{"Client to InSet", unsafe.Offsetof(r.Client), unsafe.Offsetof(r.InSet) + 1, 1},
		{"Request", 0, unsafe.Sizeof(r), 4},
	} {
		if lines := (c.end-1)/line - c.first/line + 1; lines != c.lines {
			t.Errorf("%s: bytes %d to %d are on %d cache lines; want %d", c.name, c.first, c.end, lines, c.lines)
		}
	}
	if size := unsafe.Sizeof(r); size%line != 0 {
		t.Errorf("a Request has %d bytes; want a multiple of %d", size, line)
	}
}
