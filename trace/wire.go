package trace

// The compact format, which WriteTo writes and Read reads:
//
//	file    magic, version (1 byte), blocks; the last block is an 'E'
//	block   type (1 byte), length of the body (uvarint), body, and the CRC-32C
//	        of all these (4 bytes, little-endian)
//	'M'     Meta. Strings: their number (uvarint); each is a length (uvarint) and bytes.
//	        Numbers: their number (uvarint); each is a varint
//	'F'     names of files, encoded as the strings in 'M'
//	'N'     names of classes, encoded likewise
//	'O'     operations: their number (uvarint); each as encodeOps encodes it
//	'C'     calls, likewise; see encodeCalls
//	'R'     rings of operations or calls in blocks before: 'O' or 'C', the index
//	        of the first and their number (2 uvarints), one byte each. Operations
//	        and calls without a byte have ring 0
//	'G'     labels of goroutines, encoded as the strings in 'M'
//	'L'     labels of operations in blocks before: the index of the first and
//	        their number (2 uvarints), and for each the index of its label
//	        (uvarint). Operations without an entry have label 0
//	'E'     the number of names, operations and calls in the file (3 uvarints)
//
// Varints are as in encoding/binary. A time is encoded as the difference from the operation's
// previous time. Queued and Start are encoded as the difference from Queued or Start of the entry
// before in the block, or from 0.
//
// The format grows by new types of blocks, and by more strings and numbers in 'M'. A reader skips
// types, strings and numbers that it does not know. Any other change needs a new version.

const (
	magic   = "sluicetr"
	version = 1

	// maxBlock is the most bytes in the body of a block. It bounds the memory that Read
	// allocates for a damaged length.
	maxBlock = 4 << 20 // 4 MiB
	// perBlock is the number of operations or calls in a block.
	perBlock = 8192
)

// Types of blocks.
const (
	blockMeta  = 'M'
	blockFiles = 'F'
	blockNames = 'N'
	blockOps   = 'O'
	blockCalls = 'C'
	blockRings = 'R'
	blockNamed = 'G'
	blockLabel = 'L'
	blockEnd   = 'E'
)
