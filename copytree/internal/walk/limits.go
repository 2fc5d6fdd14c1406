package walk

import (
	"runtime"

	"github.com/sluiceio/sluice/copytree/internal/queue"
)

// limits bounds what a Walk has open and in memory, whatever the tree.
type limits struct {
	queue.Limits
	idleDirs int // directories that are open and unused, at two descriptors each; may be 0
}

const (
	// maxOpenAhead is how many files are open ahead of the workers.
	maxOpenAhead = 1024
	// maxWaitingDirs is how many directories wait to be read.
	maxWaitingDirs = 4096
	// maxIdleDirs is how many unused directories stay open.
	maxIdleDirs = 128
	// maxPrefetchers is how many prefetchers there are. They mostly wait for inodes
	// and directories, of which a disk reads many at once.
	maxPrefetchers = 4
	// coldWorkers is how many workers there are while a tree is read from a disk.
	// Threads that wait for it leave the processors to others.
	coldWorkers = 8
	// prefetcherDescriptors is how many descriptors a prefetcher has, besides those
	// that it has delivered.
	prefetcherDescriptors = maxHeld + pieceSize + 2
	// workerDescriptors is how many descriptors a worker has at a time: those of the
	// file and its copy, of their directories, of the directories above or of
	// another one that a hard link is made to, and of a pipe.
	workerDescriptors = 10
	// otherDescriptors is how many descriptors are left to the rest of the program.
	otherDescriptors = 24
)

// limitsFor divides the descriptors that the process may have: half of them for
// workers, and a quarter each for idle directories and for prefetchers, which are
// of no use with few.
func limitsFor(descriptors, concurrency int) limits {
	free := max(0, descriptors-otherDescriptors)
	var l limits
	l.Workers = min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	l.Prefetchers = maxPrefetchers
	l.Dirs = maxWaitingDirs
	l.idleDirs = min(maxIdleDirs, free/4/2)
	if concurrency > 0 {
		l.Workers, l.Prefetchers = concurrency, min(maxPrefetchers, concurrency-1)
	}
	l.Workers = max(1, min(l.Workers, free/2/workerDescriptors))
	l.Prefetchers = min(l.Prefetchers, free/4/(2*prefetcherDescriptors))
	if concurrency == 0 && l.Prefetchers > 0 {
		l.ColdWorkers = max(0, min(coldWorkers, free/2/workerDescriptors)-l.Workers)
	}
	l.OpenAhead = max(prefetcherDescriptors, min(maxOpenAhead, free/4)-l.Prefetchers*prefetcherDescriptors)
	return l
}
