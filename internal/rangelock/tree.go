package rangelock

// tree is a treap of ranges, sorted by their starts. Each node has the greatest end of its subtree,
// so a search finds each overlapping range in O(log n).
type tree struct{ root *Range }

func (t *tree) insert(r *Range) {
	r.left, r.right, r.maxEnd = nil, nil, r.hi
	t.root = insert(t.root, r)
}

func (t *tree) remove(r *Range) {
	t.root = remove(t.root, r)
	r.left, r.right = nil, nil
}

// overlapping returns the number of ranges that overlap [lo, hi).
func (t *tree) overlapping(lo, hi int64) int { return count(t.root, lo, hi) }

// unblock decrements blockers of the later ranges that overlap r.
func (t *tree) unblock(r *Range) { unblock(t.root, r) }

func count(t *Range, lo, hi int64) int {
	if t == nil || t.maxEnd <= lo {
		return 0
	}
	n := count(t.left, lo, hi)
	if t.lo >= hi {
		return n
	}
	if t.hi > lo {
		n++
	}
	return n + count(t.right, lo, hi)
}

func unblock(t, r *Range) {
	if t == nil || t.maxEnd <= r.lo {
		return
	}
	unblock(t.left, r)
	if t.lo >= r.hi {
		return
	}
	if t.hi > r.lo && t.serial > r.serial {
		t.blockers--
		if t.blockers == 0 {
			t.ready <- struct{}{}
		}
	}
	unblock(t.right, r)
}

// before is the order of the tree.
func (r *Range) before(s *Range) bool {
	return r.lo < s.lo || r.lo == s.lo && r.serial < s.serial
}

// update sets maxEnd after a change below r.
func (r *Range) update() *Range {
	r.maxEnd = r.hi
	if r.left != nil {
		r.maxEnd = max(r.maxEnd, r.left.maxEnd)
	}
	if r.right != nil {
		r.maxEnd = max(r.maxEnd, r.right.maxEnd)
	}
	return r
}

func insert(t, r *Range) *Range {
	switch {
	case t == nil:
		return r
	case r.priority > t.priority:
		r.left, r.right = split(t, r)
		return r.update()
	case r.before(t):
		t.left = insert(t.left, r)
	default:
		t.right = insert(t.right, r)
	}
	return t.update()
}

// split divides t into the ranges before r and those after it.
func split(t, r *Range) (before, after *Range) {
	switch {
	case t == nil:
		return nil, nil
	case t.before(r):
		t.right, after = split(t.right, r)
		return t.update(), after
	}
	before, t.left = split(t.left, r)
	return before, t.update()
}

func remove(t, r *Range) *Range {
	switch {
	case t == nil:
		panic("rangelock: Release of a range that is not locked")
	case t == r:
		return merge(t.left, t.right)
	case r.before(t):
		t.left = remove(t.left, r)
	default:
		t.right = remove(t.right, r)
	}
	return t.update()
}

// merge joins two trees; a's ranges must all come before b's.
func merge(a, b *Range) *Range {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority > b.priority:
		a.right = merge(a.right, b)
		return a.update()
	}
	b.left = merge(a, b.left)
	return b.update()
}
