package sluice

import (
	"errors"
	"io"
	"math"

	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/merge"
)

// asked is a range that was asked for.
type asked struct {
	Range
	req  *manyRequest // nil if it needs none, or has none yet
	done bool
	n    int   // once done, how much of the request's memory was read
	err  error // likewise

	links list.Node[asked] // in due
	next  *asked           // of the same request, or of those that are free
}

// ask takes a range.
func (m *many) ask(r Range) {
	a := m.freeAsked
	if a == nil {
		a = new(asked)
	} else {
		m.freeAsked = a.next
	}
	*a = asked{Range: r}
	m.open++
	if !m.o.Unordered {
		m.due.PushBack(&a.links, a)
	}
	if m.refused(a) {
		m.quick++
		m.did(a)
		return
	}
	m.window.Add(m.extent(r), a)
}

// refused tells whether a range is done without a request.
func (m *many) refused(a *asked) bool {
	switch {
	case a.Off < 0:
		a.err = m.d.file.error("read", errors.New("negative offset"))
	case a.Len < 0:
		a.err = m.d.file.error("read", errors.New("negative length"))
	case a.Len > 0 && a.Off > math.MaxInt64-int64(a.Len)-2*int64(m.d.block()):
		a.err = io.EOF // no file reaches there
	default:
		return a.Len == 0
	}
	return true
}

// extent is what is to be read for r.
func (m *many) extent(r Range) merge.Extent {
	end := r.Off + int64(r.Len)
	if g := m.d.direct; g != nil {
		return merge.Extent{Off: g.floor(r.Off), End: g.ceil(end)}
	}
	return merge.Extent{Off: r.Off, End: end}
}

// did notes that a is done.
func (m *many) did(a *asked) {
	a.done = true
	if m.o.Unordered {
		m.due.PushBack(&a.links, a)
	}
}

// block is what offsets and lengths of transfers are multiples of.
func (d *DirectFile) block() int {
	if d.direct != nil {
		return d.direct.block
	}
	return 1
}
