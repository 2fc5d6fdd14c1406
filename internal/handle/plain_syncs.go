package handle

import (
	"errors"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/sched"
)

// plainSyncs makes the Syncs of a File without disk I/O, such as a directory, and remembers that
// one has failed. All other Files have a groupcommit.Syncer for that.
type plainSyncs struct {
	// mu is held during a Sync: the kernel reports a loss once, so a Sync beside the failing one
	// would succeed.
	mu     sync.Mutex
	failed error // of the first Sync that lost data
}

// PlainSync is Sync of the *os.File of f, whose IO is nil. Once a Sync has lost data, each later
// one returns its error. The errors are package os's.
func (f *File) PlainSync() error {
	p := f.plain
	p.mu.Lock()
	defer p.mu.Unlock()
	err := f.OS.Sync()
	if err == nil {
		return p.failed
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok && p.failed == nil && sched.LostData(errno) {
		p.failed = err
	}
	return err
}
