package pebblevfs

import (
	"fmt"

	"github.com/sluiceio/sluice"
)

// Mode is which files go past the page cache.
type Mode uint8

// The modes. They differ in tables and blob files alone.
const (
	Buffered Mode = iota // none
	Hybrid               // what is read from front to back, and what flushes and compactions write
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

	// Scheduler has the files. It must not be closed before the database is. If it is nil, it
	// is that of sluice.Default.
	Scheduler *sluice.Scheduler

	// Background is the class of flushes, compactions and what is read from front to back. It
	// must be a class of Scheduler. If it is nil, they have no class of their own.
	Background *sluice.Class
}
