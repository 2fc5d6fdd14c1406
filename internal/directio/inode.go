package directio

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/sluiceio/sluice/internal/rangelock"
)

// inode is the state that all direct Files of one file share, whichever Scheduler and name they
// were opened by.
type inode struct {
	// lock orders writes. A write locks its blocks. An operation that changes the end of the file,
	// or uses the page cache, locks the whole file. So while a range is locked the file does not
	// become shorter. While the whole file is locked no direct write is in progress: if a page
	// under a direct write becomes dirty, the kernel reports EIO to the next fsync.
	lock rangelock.Lock
	// size is a size that the file has had; no direct File has made it smaller since. 0 means
	// unknown. askSize and forgetSize write it. See File.BeforeEnd.
	size atomic.Int64
	// sizeMu is read-locked from before the question for the size until size has the answer.
	// forgetSize locks it. So an answer from before a Truncate is not stored after it.
	sizeMu sync.RWMutex
}

// askSize calls ask for the size of the file, and stores the answer.
func (n *inode) askSize(ask func() (int64, error)) (int64, error) {
	n.sizeMu.RLock()
	defer n.sizeMu.RUnlock()
	size, err := ask()
	if err == nil {
		n.size.Store(size)
	}
	return size, err
}

// forgetSize forgets the size, because the file may have become smaller.
func (n *inode) forgetSize() {
	n.sizeMu.Lock()
	n.size.Store(0)
	n.sizeMu.Unlock()
}

// inodeKey identifies a file.
type inodeKey struct {
	dev, ino uint64
	device   bool // dev is the block device itself, under any name
}

// inodes holds the inode of each file with a direct File. The pointers are weak: an inode lives as
// long as a File uses it.
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

// forget removes p, unless another inode has taken its place.
func (k inodeKey) forget(p weak.Pointer[inode]) {
	inodes.Lock()
	defer inodes.Unlock()
	if inodes.m[k] == p {
		delete(inodes.m, k)
	}
}

// Inodes returns how many files inodes has. It is for tests.
func Inodes() int {
	inodes.Lock()
	defer inodes.Unlock()
	return len(inodes.m)
}
