package copytree

import "runtime"

// limits are how much is open and in memory at once, whatever the tree.
type limits struct {
	workers int // goroutines that copy
	scouts  int // goroutines that go ahead of them, 0 for none
	spare   int // goroutines that copy in place of workers that wait for the disk
	dirs    int // directories that are open and not in use, at two descriptors each; may be 0
	ahead   int // descriptors of what scouts have opened
	queued  int // directories that wait, before who finds more goes down into one at a time
}

const (
	// aheadMost is how many files are open ahead of the workers.
	aheadMost = 1024
	// coldMost is how many large files are copied at once that the caches lack;
	// as many workers as that have no spares.
	coldMost = 8
	// queuedMost is how many directories wait.
	queuedMost = 4096
	// dirsMost is how many directories stay open.
	dirsMost = 128
	// scoutsMost is how many scouts there are: nearly all that one waits for is
	// inodes and directories, which come many at a time.
	scoutsMost = 4
	// scoutHolds is how many descriptors a scout holds, besides what it has
	// handed over.
	scoutHolds = heldMost + pieceMost + 2
	// perWorker is how many descriptors a worker has at a time: of the file and
	// its copy, of their directories, of those above or of another's that it
	// makes a link to, and of a pipe.
	perWorker = 10
	// otherDescriptors is how many descriptors are left to the rest of the program.
	otherDescriptors = 24
)

// limitsFor divides descriptors: half for workers, a quarter each for idle
// directories and for scouts, who need enough of them to be of any use.
func limitsFor(descriptors, concurrency int) limits {
	free := max(0, descriptors-otherDescriptors)
	l := limits{
		workers: min(runtime.GOMAXPROCS(0), runtime.NumCPU()),
		scouts:  scoutsMost,
		dirs:    min(dirsMost, free/4/2),
		ahead:   min(aheadMost, free/4),
		queued:  queuedMost,
	}
	if concurrency > 0 {
		l.workers, l.scouts = concurrency, min(scoutsMost, concurrency-1)
	}
	l.workers = max(1, min(l.workers, free/2/perWorker))
	l.scouts = min(l.scouts, free/4/(2*scoutHolds))
	if concurrency == 0 && l.scouts > 0 {
		l.spare = max(0, min(coldMost, free/2/perWorker)-l.workers)
	}
	l.ahead = max(scoutHolds, l.ahead-l.scouts*scoutHolds)
	return l
}
