package content

import (
	"errors"

	"github.com/sluiceio/sluice/internal/sched"
)

// Reflink says whether data is shared. The numbers are copytree's.
type Reflink uint8

// The choices for Reflink.
const (
	ReflinkAuto   Reflink = iota // where it can be, unless holes are to be made or filled
	ReflinkAlways                // or an error: EXDEV, EOPNOTSUPP, EINVAL, ETXTBSY …
	ReflinkNever
)

// Sparse says where the destination has holes. The numbers are copytree's.
type Sparse uint8

// The choices for Sparse.
const (
	SparseAuto   Sparse = iota // where the source has them
	SparseAlways               // also in place of blocks of zeros
	SparseNever
)

// Config is what all copies of a Copier have in common.
type Config struct {
	// Scheduler performs the reads that have to wait. nil makes plain calls.
	Scheduler *sched.Scheduler
	Reflink   Reflink
	Sparse    Sparse
	// BlockSize is how many bytes one read or write moves, at most; 0 is 1 MiB.
	BlockSize int
	// Memory bounds the buffers of all copies, in bytes; 0 is 24 MiB. There are
	// always two blocks.
	Memory int64
	// Verify has each copy read back.
	Verify bool
	// Wrote, if not nil, is told of n bytes of data each time that some were
	// written, by any of the copies. Those of cloned files are not.
	Wrote func(n int64)
}

// Kind says how a file can be read and written.
type Kind uint8

// The kinds of files.
const (
	Regular Kind = iota
	Block        // a block device: at any offset, but it has neither holes nor a length that could be set
	Stream       // from front to back, waiting: a FIFO, a terminal, any other device
)

// File is an open file, which stays the caller's. A destination that is a regular
// file is empty; its Size and Blocks are not looked at. FIFOs may be open with
// O_NONBLOCK.
type File struct {
	FD     int
	Kind   Kind
	Size   int64  // bytes, as fstat(2) of FD said
	Blocks int64  // of 512 bytes, likewise
	Dev    uint64 // the file system: st_dev
	// Lazy says of a destination that nobody waits until it is on disk: it may
	// be made in a way that is quicker in memory and slower there.
	Lazy bool
}

// How tells in which way a file was copied.
type How uint8

// The ways.
const (
	Copied How = iota
	Cloned     // the data is shared
)

// Result is what a copy did.
type Result struct {
	How   How
	Bytes int64 // of data, those that are shared included, holes not
	Holes int64 // bytes of holes; Bytes + Holes is the file's length
}

// Errors that are nobody else's.
var (
	ErrChanged = errors.New("changed while it was copied")
	ErrVerify  = errors.New("the copy differs from its source")
)

// Error is what went wrong, and in which of the two files.
type Error struct {
	Op     string // the system call: "read", "write", "ftruncate", "ioctl FICLONE" …
	Source bool   // it was made for the source
	Err    error  // a syscall.Errno, ErrChanged, an error that wraps ErrVerify, or the context's
}

// Error returns the operation and the cause.
func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
