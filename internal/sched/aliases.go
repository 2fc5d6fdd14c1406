package sched

import (
	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
)

// The types below are of packages that a Scheduler is made of. They have names here because
// methods of a Scheduler take them, or return them.

type (
	// File is an open file.
	File = iopath.File
	// ForeignFile is the File of a descriptor that other code owns.
	ForeignFile = iopath.ForeignFile
	// Options says what a Scheduler occupies, and what takes the place of the system.
	Options = iopath.Options
	// CallKind is what a call counts as in a Budget.
	CallKind = budget.Kind
	// Class is a kind of operations that have a weight and limits in common.
	Class = qos.Class
)

// The kinds of calls with names (BeginNamed), and of WithPermit, for packages that do not know
// budgets.
const (
	// Reads change nothing: a frozen file system answers them.
	Reads = budget.Reads
	// Changes may wait for a frozen file system.
	Changes = budget.Changes
)
