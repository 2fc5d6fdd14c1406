package sluice

import (
	"runtime"
	"sync"
	"weak"

	"github.com/sluiceio/sluice/internal/rangelock"
)

// inode is what the DirectFiles of one file share, whatever Scheduler and
// name they were opened by.
type inode struct {
	// lock orders those who write. A write locks the blocks that it touches;
	// what changes where the file ends, or uses the page cache, locks all. So
	// who has locked a range knows that the file does not become shorter, and
	// who has locked all that no direct write is in progress: to dirty a page
	// of one makes the kernel report EIO to the next fsync.
	lock rangelock.Lock
}

// inodeKey names a file.
type inodeKey struct {
	dev, ino uint64
	device   bool // dev is the device itself, by whatever file it was opened
}

// inodes finds them. The pointers are weak: an inode is there as long as a
// DirectFile is.
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
