package direct

import (
	"math"
	"syscall"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/merge"
)

// pendingRange is a range that ReadMany has taken and not yet yielded.
type pendingRange struct {
	Range
	req  *manyRequest // nil without a request
	done bool
	n    int   // once done, how many bytes of the request's memory were read
	err  error // once done

	links list.Node[pendingRange] // in yieldQueue
	next  *pendingRange           // of the same request, or of freeRanges
}

// addRange adds a range that was taken from the caller's sequence.
func (m *readManyIter) addRange(r Range) {
	a := m.freeRanges
	if a == nil {
		a = new(pendingRange)
	} else {
		m.freeRanges = a.next
	}
	*a = pendingRange{Range: r}
	m.open++
	if !m.o.Unordered {
		m.yieldQueue.PushBack(&a.links, a)
	}
	if m.needsNoRequest(a) {
		m.withoutRequest++
		m.markDone(a)
		return
	}
	m.window.Add(m.extent(r), a)
}

// needsNoRequest reports whether a needs no request, because it is empty or wrong. It sets a.err.
func (m *readManyIter) needsNoRequest(a *pendingRange) bool {
	err := handle.CheckRange(a.Off, int64(a.Len))
	if err == nil && int64(a.Len) > math.MaxInt64-a.Off {
		err = syscall.EINVAL // as from pread(2)
	}
	a.err = m.d.h.Error("read", err)
	return err != nil || a.Len == 0
}

// extent returns the part of the file to read for r. With direct I/O these are whole blocks, up to
// LastEnd.
func (m *readManyIter) extent(r Range) merge.Extent {
	end := r.Off + int64(r.Len)
	g := m.d.direct
	switch {
	case g == nil:
		return merge.Extent{Off: r.Off, End: end}
	case end > g.LastEnd():
		return merge.Extent{Off: g.Floor(r.Off), End: end}
	}
	return merge.Extent{Off: g.Floor(r.Off), End: g.Ceil(end)}
}

// markDone records that a is done.
func (m *readManyIter) markDone(a *pendingRange) {
	a.done = true
	if m.o.Unordered {
		m.yieldQueue.PushBack(&a.links, a)
	}
}
