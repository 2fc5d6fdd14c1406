package direct

import (
	"io/fs"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/inside"
)

// BuffersInUse returns how much memory of the file's Scheduler is in use.
func (f *File) BuffersInUse() int64 { return f.h.Sched.Buffers.Stats().InUse }

// Len returns the length of Bytes.
func (b Buffer) Len() int { return b.b.Len() }

// OpenBuffered opens a file as on a file system without O_DIRECT.
func OpenBuffered(s *sluice.Scheduler, name string, flag int, perm fs.FileMode) (*File, error) {
	f, err := inside.Scheduler(s).OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return newBuffered(s, f, directio.Refused{})
}
