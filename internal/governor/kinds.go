package governor

// Kind is a kind of operations. A device has a Governor for each.
type Kind uint8

// The kinds of operations.
const (
	Reads      Kind = iota
	LargeReads      // without O_DIRECT: the copy from the page cache is worth a thread
	// PositionReads are small reads at the file's position, without a look into the page cache.
	PositionReads
	Writes // with O_DIRECT
	Syncs
	Kinds // the number of kinds
)

func (k Kind) String() string {
	return [...]string{"reads", "large reads", "reads at the position", "direct writes", "fsyncs"}[k]
}
