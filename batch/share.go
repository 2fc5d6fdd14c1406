package batch

import (
	"slices"

	"github.com/sluiceio/sluice/internal/workers"
)

// OwnJob returns the next chain of a helper's range.
func (r *run) OwnJob(own *workers.Range) (*Op, bool) {
	for i, ok := own.Take(); ok; i, ok = own.Take() {
		if op := r.b.op(i); !op.inner {
			return op, true
		}
	}
	return nil, false
}

// TakeJob returns the next chain for a helper whose range is empty. more reports that other helpers
// may find chains, too.
func (r *run) TakeJob(own *workers.Range) (head *Op, more, ok bool) {
	for own.Len() > 0 || r.refill(own) {
		if op, ok := r.OwnJob(own); ok {
			return op, r.more(), true
		}
	}
	return nil, false, false
}

// more reports whether a helper's range has operations.
func (r *run) more() bool {
	return slices.ContainsFunc(r.ranges, func(s *workers.Range) bool { return s.Len() > 0 })
}

// refill gives a helper half of the longest range. It reports whether a range had chains left.
func (r *run) refill(own *workers.Range) bool {
	most, known := own, false
	for _, s := range r.ranges {
		known = known || s == own
		if s.Len() > most.Len() {
			most = s
		}
	}
	from, to, ok := most.Split()
	if ok {
		own.Set(from, to)
	}
	if ok && !known {
		r.ranges = append(r.ranges, own)
	}
	return ok
}
