package trace

// The compact format: what WriteTo writes and Read reads.
//
//	file    magic, version (1 byte), blocks, of which the last one is 'E'
//	block   type (1 byte), length (uvarint), that many bytes, and the CRC-32C of
//	        all these, 4 bytes, the lowest first
//	'M'     texts: how many (uvarint), each a length (uvarint) and so many bytes
//	        numbers: how many (uvarint), each a varint
//	'F'     names of files, as the texts in 'M'
//	'N'     names of classes, likewise
//	'O'     operations: how many (uvarint), each as encodeOps has it
//	'C'     calls, likewise
//	'R'     rings of some of the operations or calls before: 'O' or 'C', the number
//	        of the first and how many (2 uvarints), a byte each; that of the others
//	        is 0
//	'E'     how many names, operations and calls there were (3 uvarints)
//
// Varints are those of encoding/binary. A time is the difference from the
// operation's time before it, Queued and Start from the one before it in the
// block, and from 0 for the first. Blocks of a type that a reader does not know
// are skipped, and so are texts and numbers beyond those that it knows: they
// are how the format grows. What changes otherwise is another version.

const (
	magic   = "sluicetr"
	version = 1

	// maxBlock is the longest block: who reads a damaged file takes no more
	// memory than that on its word.
	maxBlock = 4 << 20 // 4 MiB
	// perBlock is how many operations or calls a block has.
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
	blockEnd   = 'E'
)
