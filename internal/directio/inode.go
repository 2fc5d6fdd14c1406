package directio

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/sluiceio/sluice/internal/rangelock"
)

// Lock locks the bytes from off to end for writing, until Unlock. It waits for other writes
// to them, or until ctx ends.
func (f *File) Lock(ctx context.Context, off, end int64) (*rangelock.Range, error) {
	return f.inode.lock.Acquire(ctx, off, end)
}

// Unlock ends a Lock.
func (f *File) Unlock(r *rangelock.Range) { f.inode.lock.Release(r) }

// inode is what all direct Files of one file share, whichever Scheduler and name they were
// opened by.
type inode struct {
	// lock orders writes. A write locks the blocks that it touches. An operation that
	// changes where the file ends, or uses the page cache, locks the whole file. So
	// while a range is locked the file does not become shorter, and while the whole
	// file is locked no direct write is in progress: if a page that one writes is made
	// dirty, the kernel reports EIO to the next fsync.
	lock rangelock.Lock
	// size is a size that the file has had; no direct File has made it smaller since. It is 0
	// if none is known. askSize and forgetSize write it. See File.BeforeEnd.
	size atomic.Int64
	// sizeMu is read-locked from before the system is asked for the size until size has the
	// answer. forgetSize locks it. So an answer from before a Truncate is not stored after it.
	sizeMu sync.RWMutex
}

// askSize returns the size of the file, which ask asks the system for, and remembers it.
func (n *inode) askSize(ask func() (int64, error)) (int64, error) {
	n.sizeMu.RLock()
	defer n.sizeMu.RUnlock()
	size, err := ask()
	if err == nil {
		n.size.Store(size)
	}
	return size, err
}

// forgetSize forgets the size, as the file may have become smaller.
func (n *inode) forgetSize() {
	n.sizeMu.Lock()
	n.size.Store(0)
	n.sizeMu.Unlock()
}

// inodeKey identifies a file.
type inodeKey struct {
	dev, ino uint64
	device   bool // dev is the block device itself, whichever file it was opened by
}

// inodes holds them. The pointers are weak: an inode stays as long as a direct File uses
// it.
var inodes = struct {
	sync.Mutex
	m map[inodeKey]weak.Pointer[inode]
}{m: map[inodeKey]weak.Pointer[inode]{}}

func (k inodeKey) inode() *inode {
	inodes.Lock()
	defer inodes.Unlock()
	if n := inodes.m[k].Value(); n != nil {
		return n
	}
	n := &inode{}
	p := weak.Make(n)
	inodes.m[k] = p
	runtime.AddCleanup(n, func(p weak.Pointer[inode]) { k.forget(p) }, p)
	return n
}

// forget removes p, unless another has taken its place.
func (k inodeKey) forget(p weak.Pointer[inode]) {
	inodes.Lock()
	defer inodes.Unlock()
	if inodes.m[k] == p {
		delete(inodes.m, k)
	}
}

// Inodes returns how many files are remembered. It is for tests.
func Inodes() int {
	inodes.Lock()
	defer inodes.Unlock()
	return len(inodes.m)
}
