// Package driver is the interface between the scheduler and the kernel.
//
// A driver carries batches of operations to the kernel, and their results back. It has no policy:
// the scheduler decides which path an operation takes, what is retried, how a short transfer is
// continued and what an error means. So drivers cannot differ in that.
//
//	n, err := d.Submit(ops)     // d owns ops[:n] from now on
//	…
//	n, err := d.Reap(done, 1)   // waits; done[:n] have ended
//
// # Ownership
//
// An Op belongs to its caller. From the moment at which Submit (or Stage) takes it until Reap
// returns it, the Op and its Buf belong to the driver. The driver returns each Op exactly once.
// Until then the caller neither reads nor writes the Op and its Buf, and keeps the file open. If it
// closed the descriptor before the request is submitted, another file might get the number, and the
// request.
//
// # Concurrency
//
// One goroutine at a time may be in Submit or Stage, and one at a time in Reap; these two may run
// at the same time. Wake and Cancel may be called by any goroutine at any time before Close. Close
// is called after all other calls have returned.
//
// Each driver chooses how Reap waits: uring holds a thread in io_uring_enter, aio is parked in Go's
// netpoller, and pool waits on a sync.Cond. The caller of Reap needs only Reap and Wake.
//
// # Loss
//
// A driver is lost when the kernel no longer lets it work: a seccomp filter that
// was installed later refuses its system calls, or the program has closed its
// descriptor. From then on Submit and Reap always return an error other than
// ErrClosed. Reap still returns each operation that was taken, once: with its
// result if the kernel has begun it, and with -ECANCELED if not. The scheduler
// can then perform the latter in another way.
//
// # A new driver
//
// A new driver passes drivertest.Run, and the root package opens it (choose.go). ARCHITECTURE.md
// lists the other places that know drivers by name.
package driver

import (
	"errors"
	"strconv"

	"github.com/sluiceio/sluice/internal/list"
)

// Large is how many bytes take the kernel and the device so long that an operation's other costs
// hardly count. A buffered read of this size is worth a thread (package sched), and write-back of
// this size is worth an early start (package groupcommit): docs/results/mechanisms.md.
const Large = 32 << 10 // 32 KiB

// Code says what an operation does. An operation with an unknown code completes with -EINVAL.
type Code uint8

// The operations.
const (
	Nop       Code = iota // completes with Res 0 and touches nothing
	Read                  // pread(2) of len(Buf) bytes at Off
	Write                 // pwrite(2) of Buf at Off
	Fsync                 // fsync(2)
	Fdatasync             // fdatasync(2)
	NumCodes              // the number of these operations
)

var codeNames = [NumCodes]string{"nop", "read", "write", "fsync", "fdatasync"}

// String returns the operation's name as strace and fio print it.
func (c Code) String() string {
	if c < NumCodes {
		return codeNames[c]
	}
	return "code(" + strconv.Itoa(int(c)) + ")"
}

// Flags qualify an operation.
type Flags uint8

const (
	// Direct means that FD was opened with O_DIRECT. Linux AIO is asynchronous
	// for such files only (io_submit(2)).
	Direct Flags = 1 << iota

	// NoWait makes a driver complete the operation with -EAGAIN if it would need a worker thread
	// for it (RWF_NOWAIT in io_uring). Drivers that only have threads ignore it.
	NoWait
)

// Op is one operation. Its zero value is a Nop.
//
// The first 64 bytes, a cache line, are the fields that goroutines on different processors write
// for each read. To fetch a line from another processor takes up to 0.1 µs.
type Op struct {
	Code  Code
	Flags Flags
	FD    int32
	// Res is the result, as in io_uring's cqe.res: a number of bytes, 0, or a negated errno. The
	// driver writes it before Reap returns the Op.
	Res int32
	// Reg is i+1 if Buf lies in the memory that a Registrar has registered with index i, and 0
	// otherwise. Only a Registrar heeds it. If no memory has that index, or Buf is not completely
	// inside it, the operation completes with -EFAULT and touches nothing, unless Buf is empty.
	Reg uint32
	// Off is the offset in the file, in bytes. The kernel refuses a negative one (EINVAL).
	Off int64
	// Buf is the memory that is read into or written from. It must not be on a goroutine's stack,
	// which may move while the kernel has the address; only code that hides a slice from the
	// compiler can put it there. The Op keeps Buf alive, and the driver the Op, from Submit to
	// Reap. Kernels transfer at most 2 GiB - 4 KiB of it.
	Buf []byte
	// Next is for stacks of the Op's owner, the caller or the driver, and Links for its lists. When
	// the owner changes, the Op is in no queue. A Cancel that comes too late still reads Links.
	Next *Op
	// Token belongs to the driver between Submit and Reap. It identifies the operation to the
	// kernel. Before that it is 0, or this driver's.
	Token uint64

	Links list.Node[Op]
	// Owner is the caller's request that the Op belongs to.
	Owner any
}

// ErrClosed is returned by Submit and Reap after Close.
var ErrClosed = errors.New("driver closed")

// Driver performs operations. The package comment says which calls may run at
// the same time.
type Driver interface {
	// Submit takes operations from the front of ops, and returns their number without waiting for
	// their ends. If it does not take all, the driver is full (see Info.Depth): the caller reaps,
	// then submits the rest. Reap returns an operation that the kernel refuses, with the errno in
	// Res. The error is ErrClosed, or the reason why the driver is lost. Even then the driver owns
	// the operations that it has taken.
	Submit(ops []*Op) (int, error)

	// Reap fills done with completed operations and returns their number. It waits until there are
	// at least need of them, or until Wake; need is at most len(done). If nothing is in flight, a
	// Reap with need > 0 waits for a Submit or a Wake. Reap of a lost driver waits only while
	// operations are in flight. Each call then returns the error, together with operations that
	// have ended.
	Reap(done []*Op, need int) (int, error)

	// Wake makes the waiting Reap return early. If none is waiting, the next one that would wait
	// returns early. Several Wakes have the effect of one.
	Wake()

	// Cancel asks that op end early. Reap still returns it exactly once, with -ECANCELED, or with
	// its ordinary result if Cancel was too late, as it nearly always is once a disk has the
	// operation. If Reap has already returned op, Cancel does nothing; but op must not be changed
	// or submitted again until Cancel has returned.
	Cancel(op *Op)

	// Async reports whether op waits without holding a thread, of this process or one that the
	// kernel adds to it. The answer depends only on op's Code and Flags.
	Async(op *Op) bool

	// Info describes the driver. It always returns the same.
	Info() Info

	// Close waits for all operations that the driver has taken, also staged or queued ones: it
	// performs them. Unreaped operations then belong to their callers again, with Res set. Close
	// releases all that the driver holds. A second Close does nothing.
	Close() error
}

// Info describes a driver, for the scheduler and for people.
type Info struct {
	Name string // "uring", "aio", "pool"
	// Depth is the most operations in flight, including completed ones that were not reaped. With
	// fewer than Depth in flight, Submit takes at least one.
	Depth int
	// Threads is the most threads of this process that wait in the driver's own system calls.
	Threads int
	// Workers is the most threads that the kernel adds to the process, for each thread that
	// submits, to perform direct writes without NoWait that must wait. It is 0 if the kernel adds
	// none, has no such bound, or makes one write to a file at a time.
	Workers int
	// CompletesAlone is set if an operation completes whatever the thread does that has submitted
	// it. Without it that thread may have to enter the kernel first, as with io_uring.
	CompletesAlone bool
	Features       []string // the features that it has found and uses, one short phrase each
}

// Stager is a Driver that can submit operations and wait for completions in one system call.
type Stager interface {
	Driver
	// Stage is Submit without a system call. The next Submit (even of nothing) or the next Reap
	// (even one that does not wait) submits the operations. Stage may take none even below Depth,
	// when a batch is full. After Close it takes none.
	Stage(ops []*Op) int
}

// WaitCounter is a Driver that knows how often its Reap had to wait.
type WaitCounter interface {
	Driver
	// Waits returns two counts of calls of Reap. known counts the calls for which the driver knows
	// whether they had to wait for a completion, and waited those that had to. Both only grow, and
	// wrap around. The driver may begin to count with the first call of Waits. Waits and Reap must
	// not be called at the same time.
	Waits() (known, waited uint32)
}

// Registrar is a Driver that is faster in registered memory: the kernel need not look up and pin
// the pages for each operation.
type Registrar interface {
	Driver
	// Register registers mem and returns its index, which no other memory has until Unregister.
	// Operations can then use mem with Reg. mem must stay mapped until Unregister or Close; Close
	// unregisters all. Errors are common: the kernel is too old, RLIMIT_MEMLOCK is reached, or no
	// index is left. Then operations can use mem with Reg 0. Any goroutine may call Register and
	// Unregister at any time before Close.
	Register(mem []byte) (index int, err error)
	// Unregister removes memory from the table. No operation with this index
	// may be in flight.
	Unregister(index int)
}
