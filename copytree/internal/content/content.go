package content

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/sched"
)

// Config is what all copies of a Copier have in common.
type Config struct {
	// Scheduler performs the reads that have to wait. nil makes plain calls.
	Scheduler *sched.Scheduler
	Reflink   option.Reflink
	Sparse    option.Sparse
	// BlockSize is how many bytes one read or write moves at most; 0 is 1 MiB.
	BlockSize int
	// Memory bounds the buffers of large files and streams, in bytes; 0 is 24 MiB. There are
	// always at least two blocks.
	Memory int64
	// Verify reads each copy back and compares it with its source.
	Verify bool
	// Wrote, if not nil, is called with the number of bytes after each write, by
	// several goroutines. It is not called for cloned files.
	Wrote func(n int64)
	// Fault, if not nil, is called before each "read", "write" and "ftruncate". If it
	// returns an error, the call is not made and returns that error. It is for tests.
	Fault func(op string) error
}

// Kind says how a file can be read and written.
type Kind uint8

// The kinds of files.
const (
	Regular Kind = iota
	Block        // a block device: at any offset, but without holes and with a fixed length
	Stream       // from front to back, waiting: a FIFO, a terminal, any other device
)

// File is an open file. A destination that is a regular file must be empty; its
// Size and Blocks are not used. FIFOs may be open with O_NONBLOCK.
type File struct {
	FD     int
	Kind   Kind
	Size   int64  // bytes, as fstat(2) of FD said
	Blocks int64  // of 512 bytes, likewise
	Dev    uint64 // the file system: st_dev
	// Lazy says that the destination is not synced: it may be written in a way
	// that is quicker in memory and slower on disk.
	Lazy bool
	// Long, if not nil, is called for a destination before its data is copied or read back, and not
	// if it is only shared.
	Long func()
}

// How is the way in which a file was copied.
type How uint8

// The ways.
const (
	Copied How = iota
	Cloned     // the data is shared
)

// Result is what a copy did.
type Result struct {
	How   How
	Bytes int64 // bytes of data, shared ones included, holes not
	Holes int64 // bytes of holes; Bytes + Holes is the file's length
	// Found is CacheHit or CacheMiss for a small file: whether the page cache had its
	// data. It is CacheUnknown for all other files.
	Found at.Cached
}
