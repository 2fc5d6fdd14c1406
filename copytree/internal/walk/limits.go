package walk

import (
	"runtime"

	"github.com/sluiceio/sluice/copytree/internal/queue"
)

// limits bounds the open files and the memory of a Walk, whatever the tree.
type limits struct {
	queue.Limits
	idleDirs int // directories that are open and unused, with two descriptors each; may be 0
}

const (
	// maxOpenAhead is the number of files that may be open ahead of the workers.
	maxOpenAhead = 1024
	// maxWaitingDirs is the number of directories that may wait to be read.
	maxWaitingDirs = 4096
	// maxIdleDirs is the number of unused directories that stay open.
	maxIdleDirs = 128
	// maxPrefetchers is the number of prefetchers. They mostly wait for inodes and directories; a
	// disk reads many at once.
	maxPrefetchers = 4
	// coldWorkers is the number of workers while a tree is read from a disk. Threads that wait for
	// the disk leave the processors to others.
	coldWorkers = 8
	// prefetcherDescriptors is the number of a prefetcher's descriptors, without the delivered
	// ones.
	prefetcherDescriptors = maxHeld + pieceSize + 2
	// workerDescriptors is the number of a worker's descriptors at a time: for a file and its copy,
	// their directories, the directories above or another one for a hard link, and a pipe.
	workerDescriptors = 10
	// otherDescriptors is the number of descriptors for the rest of the program.
	otherDescriptors = 24
)

// limitsFor divides the process's descriptors: half for workers, and a quarter each for idle
// directories and for prefetchers. Prefetchers with few descriptors are useless.
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
