package sluice

import (
	"slices"

	"github.com/sluiceio/sluice/internal/sched"
)

// OwnJob returns the next chain of a member of the crew.
func (r *batchRun) OwnJob(own *sched.WorkRange) (*BatchOp, bool) {
	for i, ok := own.Take(); ok; i, ok = own.Take() {
		if op := r.b.at(i); !op.inner && !r.lane.has(op) {
			return op, true
		}
	}
	return nil, false
}

// TakeJob returns the next chain for a member of the crew that has none left,
// and whether there may be more for others.
func (r *batchRun) TakeJob(own *sched.WorkRange) (head *BatchOp, more, ok bool) {
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
		if op := r.b.at(r.back); op.lane {
			return op, true, true
		}
	}
	return nil, false, false
}

// more tells whether a member has operations that it has not come to.
func (r *batchRun) more() bool {
	return slices.ContainsFunc(r.spans, func(s *sched.WorkRange) bool { return s.Len() > 0 })
}

// refill gives a member half of what that one has who has most.
func (r *batchRun) refill(own *sched.WorkRange) bool {
	most, known := own, false
	for _, s := range r.spans {
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
		r.spans = append(r.spans, own)
	}
	return ok
}

// share has the crew take chains of the lane's too.
func (r *batchRun) share() {
	r.mu.Lock()
	before := r.shared
	r.shared = true
	r.mu.Unlock()
	if !before {
		r.crew.Call()
	}
}

// takeLane returns the next chain for the lane.
func (r *batchRun) takeLane() (*BatchOp, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.front < r.back {
		op := r.b.at(r.front)
		r.front++
		if op.lane {
			return op, true
		}
	}
	return nil, false
}

// retry gives a chain of the lane's to the crew.
func (r *batchRun) retry(head *BatchOp) {
	r.mu.Lock()
	r.again = append(r.again, head)
	r.mu.Unlock()
	r.crew.Call()
}
