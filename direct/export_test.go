package direct

import (
	"io/fs"
	"sync"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/inside"
)

// BuffersInUse returns how much memory of the file's Scheduler is in use.
func (f *File) BuffersInUse() int64 { return f.h.Sched.Buffers.Stats().InUse }

// Len returns the length of Bytes.
func (b Buffer) Len() int { return b.b.Len() }

// HoldPermits takes permits of f's device until none is free for a call whose context can end and
// that changes a file. A write to the page cache still has one. Release gives them back.
func (f *File) HoldPermits() (release func()) {
	b := &f.h.Sched.Core.DeviceOf(f.h.IO).Budget
	var all []budget.Permit
	for {
		p, ok := b.TryAcquire(budget.Changes)
		if !ok {
			break
		}
		all = append(all, p)
	}
	return sync.OnceFunc(func() {
		for _, p := range all {
			p.Release()
		}
	})
}

// WithoutDiskIO makes f a file without disk I/O, as on Windows.
func (f *File) WithoutDiskIO() { f.h.IO = nil }

// OpenBuffered opens a file as on a file system without O_DIRECT.
func OpenBuffered(s *sluice.Scheduler, name string, flag int, perm fs.FileMode) (*File, error) {
	f, err := inside.Scheduler(s).OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return newBuffered(s, f, directio.Refused{})
}
