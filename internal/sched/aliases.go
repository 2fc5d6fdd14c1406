package sched

import (
	"github.com/sluiceio/sluice/internal/chains"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/workers"
)

// The names below are those of packages that a Scheduler is made of, for its users.

type (
	// File is an open file.
	File = iopath.File
	// ForeignFile is the File of a descriptor that belongs to somebody else.
	ForeignFile = iopath.ForeignFile
	// Vec is the rest of one or several buffers.
	Vec = iopath.Vec
	// Limits bounds what a Scheduler occupies.
	Limits = iopath.Limits
	// Caller makes the plain system call for a transfer or an fsync.
	Caller = iopath.Caller
)

// NewFile returns the File of an open descriptor; see iopath.NewFile.
func NewFile(fd int, direct, appends bool) *File { return iopath.NewFile(fd, direct, appends) }

// VecOf returns a Vec of first and rest.
func VecOf(first []byte, rest [][]byte) Vec { return iopath.VecOf(first, rest) }

// Class is a kind of operations that have a weight and limits in common. See package qos.
type Class = qos.Class

type (
	// ChainRunner performs chains of operations in the kernel.
	ChainRunner = chains.Runner
	// Chain is a chain that is being put together.
	Chain = chains.Chain
)

const (
	// MaxChainOps is the most operations that a chain can have.
	MaxChainOps = chains.MaxOps
	// WorkingDir is AT_FDCWD.
	WorkingDir = chains.WorkingDir
)

type (
	// WorkerPool is a bounded set of goroutines that do jobs.
	WorkerPool[Job, Own any] = workers.Pool[Job, Own]
	// WorkRange is a range of numbers that goroutines share.
	WorkRange = workers.Range
)

// MaxRings is the most rings that a Scheduler can have.
const MaxRings = ioengine.MaxRings
