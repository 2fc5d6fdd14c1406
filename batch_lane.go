package sluice

import (
	"os"
	"sync"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// laneLeast is how many chains there must be for the lane: it takes a thread of
// its own for them, which 50 do not pay for and 100 do. Measured:
// docs/decisions/0022-batch.md.
const laneLeast = 100

// laneTrials is after how many chains that the kernel did not succeed in, if
// they are half of all, the rest is performed by the crew. Such a chain is
// performed twice: files that are shorter than the buffers for them are the most
// common kind.
const laneTrials = 32

// batchLane performs those chains of a Batch that open a file, read from it and
// close it, each as one submission to the kernel. What does not succeed wholly
// goes to the crew, which performs it again: then the errors and the ends of
// files are those of plain calls, and short reads are continued. When chains wait
// for the disk, the crew takes some as well: while they do not it would take the
// processors for longer than the lane does.
type batchLane struct {
	r    *batchRun
	lane *sched.ChainRunner
	// dirs are descriptors of the directories of chains, the lane's own: one may
	// be closed by its user while chains are in flight.
	dirs map[*File]int
	// ended and failed count chains.
	ended, failed int

	running sync.WaitGroup // run
}

// newLane returns the lane, if there is one, is free, and worth it.
func (r *batchRun) newLane() *batchLane {
	if r.b.n < 3*laneLeast || r.core.HasClasses() { // the kernel knows no classes
		return nil
	}
	chains := 0
	for i := range r.b.n {
		if op := r.b.at(i); op.fitsLane() {
			op.lane = true
			chains++
		}
	}
	if chains < laneLeast {
		return nil
	}
	lane := r.core.TryChainRunner()
	if lane == nil {
		return nil
	}
	return &batchLane{r: r, lane: lane}
}

// fitsLane tells whether op begins a chain for the lane.
func (op *BatchOp) fitsLane() bool {
	const changes = os.O_CREATE | os.O_TRUNC | os.O_WRONLY | os.O_RDWR
	if op.inner || op.kind != opOpenFile || !op.closed || int(op.off)&changes != 0 {
		return false
	}
	n := 1
	next := op.next
	for ; next != nil && next.kind == opReadAt && next.open == op && next.off >= 0; next = next.next {
		n++
	}
	return next != nil && next.kind == opCloseFile && next.open == op && next.next == nil && n < sched.MaxChainOps
}

// has tells whether a chain that begins with op is the lane's.
func (l *batchLane) has(op *BatchOp) bool { return l != nil && op.lane }

// run performs the lane's chains.
func (l *batchLane) run() {
	l.lane.Run(l.r.ctx, l)
	l.lane.Leave()
	for _, fd := range l.dirs {
		sys.Close(fd)
	}
	l.r.share() // it may have left some
}

// Wait is told that chains wait for the disk.
func (l *batchLane) Wait() { l.r.share() }

// Next puts the next chain together.
func (l *batchLane) Next(c sched.Chain) bool {
	if l.r.ctx.Err() != nil || l.failed >= laneTrials && 2*l.failed >= l.ended {
		return false
	}
	head, ok := l.r.takeLane()
	for ; ok; head, ok = l.r.takeLane() {
		if dir, ok := l.dirOf(head); ok && c.Open(head, dir, head.name, int(head.off)|largeFile) {
			break
		}
		l.r.retry(head) // for the error
	}
	if !ok {
		return false
	}
	for op := head.next; op.kind == opReadAt; op = op.next {
		c.ReadAt(op.buf, op.off)
	}
	c.Close()
	return true
}

// dirOf returns a descriptor of the directory that op's name is relative to.
func (l *batchLane) dirOf(op *BatchOp) (fd int, ok bool) {
	if op.dir == nil {
		return sched.WorkingDir, true
	}
	if fd, ok = l.dirs[op.dir]; ok {
		return fd, true
	}
	fd, err := op.dupDir()
	if err != nil {
		return 0, false
	}
	if l.dirs == nil {
		l.dirs = make(map[*File]int)
	}
	l.dirs[op.dir] = fd
	return fd, true
}

// Ended takes a chain that has ended.
func (l *batchLane) Ended(owner any, all bool) {
	head := owner.(*BatchOp)
	l.ended++
	if !all {
		l.failed++
		l.r.retry(head)
		return
	}
	for op := head; op != nil; op = op.next {
		op.n = len(op.buf)
		op.finish(nil)
		l.r.tell(op)
	}
}
