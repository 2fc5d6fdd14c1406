package budget

// Kind is a kind of call. A device may answer one kind while another hangs: a frozen file system
// answers reads.
type Kind uint8

// The kinds of calls. Changes change a file and are no writes, such as an allocation.
const (
	Reads Kind = iota
	Writes
	Syncs
	Changes
	Kinds // the number of kinds
)

// taken is how many permits of a Budget are taken, in a word that changes at once: by kind, and by
// calls whose context may end. Each of the five numbers has laneBits.
type taken int64

const (
	laneBits = 12
	// Most is the most permits that there can be.
	Most   = 1<<laneBits - 1
	ending = Kinds // the lane of calls whose context may end
	// leastEnding is the permits that calls whose context may end can have, even if a quarter of
	// the limit is fewer.
	leastEnding = 4
)

// unit is what p adds to taken.
func (p Permit) unit() taken {
	u := taken(1) << (laneBits * p.kind)
	if p.ends {
		u += 1 << (laneBits * ending)
	}
	return u
}

// of returns a lane.
func (t taken) of(lane Kind) int32 { return int32(t>>(laneBits*lane)) & Most }

// all returns how many permits are taken.
func (t taken) all() int32 { return t.of(Reads) + t.changes() }

// changes returns how many are taken by calls that are not reads.
func (t taken) changes() int32 { return t.of(Writes) + t.of(Syncs) + t.of(Changes) }

// allows reports whether there is a permit for one more call, of limit permits. Each kind of call
// but reads leaves a few to each other kind, and calls whose context may end have a quarter:
// docs/decisions/0004-budget.md.
func (t taken) allows(k Kind, ends bool, limit int32) bool {
	if t.all() >= limit || ends && t.of(ending) >= max(leastEnding, limit/4) {
		return false
	}
	left := leftToOthers(limit)
	return k == Reads || t.changes() < limit-left && t.of(k) < limit-int32(Kinds-1)*left
}

// leftToOthers returns how many of limit permits a kind of call leaves to each other kind. A kind
// that is left one goes on, slowly, while another hangs. Few permits are not divided.
func leftToOthers(limit int32) int32 {
	if limit < 2*int32(Kinds) {
		return 0
	}
	return max(1, limit/16)
}
