package batch

import (
	"slices"

	"github.com/sluiceio/sluice/internal/workers"
)

// OwnJob returns the next chain of a helper's range.
func (r *run) OwnJob(own *workers.Range) (*Op, bool) {
	for i, ok := own.Take(); ok; i, ok = own.Take() {
		if op := r.b.op(i); !op.inner && !r.kernel.has(op) {
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
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.again); n > 0 {
		op := r.again[n-1]
		r.again = r.again[:n-1]
		return op, true, true
	}
	for r.shared && r.front < r.back {
		r.back--
		if op := r.b.op(r.back); op.inKernel {
			return op, true, true
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

// share lets helpers take the kernel's chains.
func (r *run) share() {
	r.mu.Lock()
	before := r.shared
	r.shared = true
	r.mu.Unlock()
	if !before {
		r.helpers.Call()
	}
}

// takeForKernel returns the next chain for the kernel.
func (r *run) takeForKernel() (*Op, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.front < r.back {
		op := r.b.op(r.front)
		r.front++
		if op.inKernel {
			return op, true
		}
	}
	return nil, false
}

// retry gives a chain of the kernel to the helpers.
func (r *run) retry(head *Op) {
	r.mu.Lock()
	r.again = append(r.again, head)
	r.mu.Unlock()
	r.helpers.Call()
}
