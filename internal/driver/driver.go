// Package driver is the seam between the scheduler and the kernel.
//
// A driver carries batches of operations to the kernel and their results
// back. It has no policy: which path an operation takes, what is retried, how
// a short transfer is continued and what an error means to a user are the
// scheduler's, so that drivers cannot differ in them.
//
// # Ownership
//
// An Op belongs to its caller. From the moment Submit (or Stage) takes it
// until Reap returns it, the Op and its Buf belong to the driver, which
// returns each exactly once. The caller may neither read nor write them in
// between; it must also keep the file open, because a descriptor that is
// closed while its request is unsubmitted can be re-used by another file.
//
// # Concurrency
//
// Submit and Stage are one side, Reap the other: both sides may run at the
// same time, each by one goroutine at a time. Wake and Cancel may be called
// by anyone at any time before Close. Close comes after the last call of
// everything else has returned.
//
// # Loss
//
// A driver is lost when the kernel no longer lets it work: a seccomp filter that
// was installed later refuses its system calls, or the program has closed its
// descriptor. Submit and Reap say so by an error other than ErrClosed, from then
// on and for good. What was taken still comes back from Reap, each operation once:
// with its result if the kernel has begun it, and with -ECANCELED if it has not,
// so that it can be performed in another way.
package driver

import (
	"errors"
	"strconv"

	"github.com/sluiceio/sluice/internal/list"
)

// Code says what an operation does. One that a driver does not know completes
// with -EINVAL.
type Code uint8

// The operations that every driver performs.
const (
	Nop       Code = iota // completes with Res 0 and touches nothing
	Read                  // pread(2) of len(Buf) bytes at Off
	Write                 // pwrite(2) of Buf at Off
	Fsync                 // fsync(2)
	Fdatasync             // fdatasync(2)
	NumCodes              // how many there are
)

// The operations of a Linker.
const (
	Open  Code = NumCodes + iota // openat(2) of Path, as a file of the driver's own
	Close                        // close(2) of a file of the driver's own
	AllCodes
)

var codeNames = [AllCodes]string{"nop", "read", "write", "fsync", "fdatasync", "open", "close"}

// String returns the operation's name as strace and fio would print it.
func (c Code) String() string {
	if c < AllCodes {
		return codeNames[c]
	}
	return "code(" + strconv.Itoa(int(c)) + ")"
}

// Flags qualify an operation.
type Flags uint8

const (
	// Direct tells that FD was opened with O_DIRECT, which is when Linux AIO
	// is asynchronous at all (io_submit(2)).
	Direct Flags = 1 << iota

	// NoWait asks a driver that would need a worker thread to perform the
	// operation to complete it with -EAGAIN instead (RWF_NOWAIT in
	// io_uring). Drivers that are made of threads ignore it.
	NoWait

	// OwnFile tells that FD is not a descriptor but the number of one of the
	// driver's own files (Linker). Open is into it, without the flag: its FD is
	// the directory.
	OwnFile

	// Always has Then begin when the operation has ended, however it has.
	Always
)

// Op is one operation. Its zero value is a Nop.
type Op struct {
	Code  Code
	Flags Flags
	FD    int32
	// Res is the result as io_uring's cqe.res gives it: a count of bytes, 0,
	// or a negated errno. Written by the driver before Reap returns the Op.
	Res int32
	// Reg is 0, or i+1 if Buf lies in the memory that a Registrar knows by
	// index i. Other drivers ignore it.
	Reg uint32
	// Off is the offset in the file, in bytes. Negative values are the
	// kernel's to refuse (EINVAL).
	Off int64
	// Buf is what is read into or written from. It must not be on a stack,
	// which moves (no slice reachable from an Op is). Kernels transfer at most
	// 2 GiB - 4 KiB of it.
	Buf []byte

	// Then, if not nil, is the next operation of a chain; see Linker.
	Then *Op
	// Path is what Open opens.
	Path *Path

	// Head and Left are the driver's from Submit to Reap: the first operation
	// of the chain, and how many of it have not ended.
	Head *Op
	Left int32

	// Token is the driver's from Submit to Reap: the name by which the kernel
	// knows the operation. Callers leave it alone.
	Token uint64
	// Next and Links are for the queues of who has the Op, the caller or the
	// driver: for a stack, and for a list. It is in none when it is passed on.
	// A late Cancel looks at Links.
	Next  *Op
	Links list.Node[Op]
	// Owner is the caller's: what the Op is part of.
	Owner any
}

// ErrClosed is returned by Submit and Reap of a closed driver.
var ErrClosed = errors.New("driver closed")

// Driver performs operations. See the package comment for who may call what
// when.
type Driver interface {
	// Submit takes a prefix of ops and reports its length. It takes less than
	// all when the driver is full: the caller reaps, then submits the rest.
	// Full is when Info().Depth operations are in flight, those included that
	// have completed and were not reaped; below that it takes at least one.
	// It does not wait for operations to complete. An operation that the
	// kernel refuses is taken too, and comes back from Reap with its errno in
	// Res. The error is non-nil only when the driver can no longer be used
	// (ErrClosed, or the reason why it is lost); the prefix is then still the
	// driver's.
	Submit(ops []*Op) (int, error)

	// Reap fills done with completed operations and reports how many. It
	// waits until there are at least need of them (need is at most len(done);
	// 0 does not wait), or until Wake. It also waits when nothing is in
	// flight, so need should be 0 then, unless a Submit or Wake will follow.
	// When the driver is lost, Reap waits only while operations are in flight, and
	// returns the error with each call, beside the operations that have ended.
	Reap(done []*Op, need int) (int, error)

	// Wake makes the Reap that is waiting return early, or, if none is, the
	// next one that would wait. Wakes do not add up.
	Wake()

	// Cancel asks that op, which the caller has submitted, end early. The
	// operation still comes back from Reap, exactly once: with -ECANCELED, or
	// with its ordinary result when it was too late (which on disks it nearly
	// always is, once the device has it). When op has come back already,
	// nothing happens; but until Cancel has returned, op may be neither
	// changed nor submitted again.
	Cancel(op *Op)

	// Async reports whether op would be performed without holding a thread
	// of this process, or one that the kernel adds to it, while it waits. The
	// answer depends on op's Code and Flags alone.
	Async(op *Op) bool

	// Info describes the driver. It is constant.
	Info() Info

	// Close waits for the operations in flight, those included that are only
	// staged or queued: what was taken is performed. It gives those that were
	// never reaped back to their owners with Res set, and releases all that
	// the driver holds. Only the first call does something.
	Close() error
}

// Info describes a driver to people and to the scheduler.
type Info struct {
	Name  string // "uring", "aio", "pool"
	Depth int    // most operations in flight
	// Threads is the most threads of this process that the driver itself
	// occupies with waiting; 0 if none.
	Threads  int
	Features []string // what it found and uses, one short phrase each
}

// Stager is a Driver that can hand operations over and wait for completions
// in one system call.
type Stager interface {
	Driver
	// Stage is Submit without the system call: the operations travel with
	// the next Submit, also of nothing, or Reap, also one that does not wait.
	// Below Depth it may still take none, when a batch has no more room. A
	// closed driver takes none.
	Stage(ops []*Op) int
}

// Registrar is a Driver that works faster in memory that it has been told of:
// the kernel need not look up and pin its pages for each operation.
type Registrar interface {
	Driver
	// Register makes mem known, by an index that is no other's until
	// Unregister. It must stay mapped until then, or until Close. An error is
	// nothing unusual: the kernel is too old, RLIMIT_MEMLOCK is reached, or
	// there is no index left. Operations use mem all the same, with Reg 0.
	//
	// An operation whose Reg names no registered memory, or memory that Buf
	// is not wholly in, completes with -EFAULT and touches nothing, unless
	// Buf is empty.
	//
	// Register and Unregister may be called by anyone at any time before
	// Close, which unregisters what is left.
	Register(mem []byte) (index int, err error)
	// Unregister forgets memory that is registered. No operation that names
	// it is in flight.
	Unregister(index int)
}

// Path is what an Open opens. It is the caller's, who leaves it alone while the
// operation is the driver's.
type Path struct {
	Name  []byte // ends with a zero byte
	Flags uint32 // open(2)'s, without O_CLOEXEC
	File  uint32 // which of the driver's own files it becomes
}

// Linker is a Stager that performs chains: an operation and, linked by Then,
// those that are to follow it. The first is submitted, and comes back when all
// have ended. The next one begins when the one before has succeeded wholly: a
// transfer that is short has not. Those after one that has not come back with
// -ECANCELED, unless it has the flag Always. Each operation of a chain counts as
// one in flight. Cancel of the first asks that whichever is being performed end
// early.
//
// Chains can use files of the driver's own, which no descriptor of the process
// names. A file's number is one chain's at a time; who opens a file in a chain
// closes it there.
type Linker interface {
	Stager
	// Files is how many files of its own the driver has. 0 means that it
	// performs no chains.
	Files() int
}
