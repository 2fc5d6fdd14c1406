package pebblevfs

import (
	"fmt"

	"github.com/sluiceio/sluice"
)

// Mode says which files go past the page cache.
type Mode uint8

// The modes. They only differ for tables and blob files.
const (
	Buffered Mode = iota // none
	Hybrid               // sequential reads, and writes of flushes and compactions
	Direct               // all
)

// String returns the mode's name.
func (m Mode) String() string {
	switch m {
	case Buffered:
		return "buffered"
	case Hybrid:
		return "hybrid"
	case Direct:
		return "direct"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// Options configures an [FS]. The zero value is Buffered, on sluice's default Scheduler.
type Options struct {
	Mode Mode

	// Scheduler has the files. Close it after the database. nil is sluice.Default's Scheduler. It
	// cannot be the Scheduler of a sluicetest.Disk: names and directories are package os's.
	Scheduler *sluice.Scheduler

	// Background is the class of flushes, compactions and sequential reads. It must be a class of
	// Scheduler. nil leaves them in the default class.
	Background *sluice.Class
}
