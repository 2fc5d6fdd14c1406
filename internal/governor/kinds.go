package governor

// Kind is a kind of operations. A device has a Governor for each.
type Kind uint8

// The kinds of operations.
const (
	Reads         Kind = iota
	LargeReads         // their copy from the page cache is worth a thread
	PositionReads      // small ones at the file's position, which have not looked into the page cache
	Writes             // with O_DIRECT
	Syncs
	Kinds // the number of kinds
)

func (k Kind) String() string {
	return [...]string{"reads", "large reads", "reads at the position", "direct writes", "fsyncs"}[k]
}
