package sched

import (
	"github.com/sluiceio/sluice/internal/chains"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/workers"
)

// The names below are those of packages that a Scheduler is made of, for its users.

// File and the other types here are those of package iopath.
type (
	File        = iopath.File
	ForeignFile = iopath.ForeignFile
	Vec         = iopath.Vec
	Limits      = iopath.Limits
	Caller      = iopath.Caller
)

// NewFile returns the File of an open descriptor; see iopath.NewFile.
func NewFile(fd int, direct, appends bool) *File { return iopath.NewFile(fd, direct, appends) }

// VecOf returns a Vec of first and rest.
func VecOf(first []byte, rest [][]byte) Vec { return iopath.VecOf(first, rest) }

// Class is a kind of operations that have a weight and limits in common. See package qos.
type Class = qos.Class

// ChainRunner and Chain are those of package chains.
type (
	ChainRunner = chains.Runner
	Chain       = chains.Chain
)

// MaxChainOps and WorkingDir are those of package chains.
const (
	MaxChainOps = chains.MaxOps
	WorkingDir  = chains.WorkingDir
)

// WorkerPool and WorkRange are those of package workers.
type (
	WorkerPool[Job, Own any] = workers.Pool[Job, Own]
	WorkRange                = workers.Range
)

// MaxRings is the most rings that a Scheduler can have.
const MaxRings = ioengine.MaxRings
