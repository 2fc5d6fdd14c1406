package content

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/sched"
)

// Config is the configuration of a Copier.
type Config struct {
	// Scheduler performs reads that have to wait. If it is nil, they are plain calls.
	Scheduler *sched.Scheduler
	Reflink   option.Reflink
	Sparse    option.Sparse
	// BlockSize is the most bytes of one read or write; 0 is 1 MiB.
	BlockSize int
	// Memory bounds the buffers of large files and streams, in bytes; 0 is 24 MiB. At least two
	// blocks are always allowed.
	Memory int64
	// Verify reads each copy back and compares it with its source.
	Verify bool
	// Wrote, if not nil, is called with the number of bytes after each write, by several
	// goroutines. It is not called for cloned files.
	Wrote func(n int64)
	// Fault, if not nil, is called before each "read", "write" and "ftruncate", for tests. If it
	// returns an error, the call is skipped and returns that error.
	Fault func(op string) error
}

// Kind is a way in which a file can be read and written.
type Kind uint8

// The kinds of files.
const (
	Regular Kind = iota
	Block        // a block device: at any offset, but without holes and with a fixed length
	Stream       // from front to back, waiting: a FIFO, a terminal, any other device
)

// File is an open file. A destination that is a regular file must be empty; its Size and Blocks are
// ignored. FIFOs may be open with O_NONBLOCK.
type File struct {
	FD     int
	Kind   Kind
	Size   int64  // bytes, from fstat(2) of FD
	Blocks int64  // blocks of 512 bytes, from fstat(2)
	Dev    uint64 // the file system: st_dev
	// Lazy says that the destination is not synced, so that a way may be chosen that is faster in
	// memory and slower on disk.
	Lazy bool
	// Long, if not nil, is called before data is copied to this destination or read back. It is not
	// called if data is only shared.
	Long func()
}

// How is the way in which a file was copied.
type How uint8

// The ways.
const (
	Copied How = iota
	Cloned     // the data is shared
)

// Result is the result of a copy.
type Result struct {
	How   How
	Bytes int64 // bytes of data, shared data included, without holes
	Holes int64 // bytes of holes; Bytes + Holes is the file's length
	// Found is CacheHit or CacheMiss for a small file: the page cache had its data or not. It is
	// CacheUnknown for all other files.
	Found at.Cached
}
