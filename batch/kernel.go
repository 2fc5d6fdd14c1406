package batch

import (
	"os"
	"sync"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/chains"
	"github.com/sluiceio/sluice/internal/sys"
)

// kernelLeast is the least number of chains that the kernel performs. Its chains need a thread,
// which 100 chains pay for and 50 do not. Measured: docs/decisions/0022-batch.md.
const kernelLeast = 100

// kernelTrials bounds the failed chains of the kernel: from then on, if half of them fail, the
// helpers perform the rest. A failed chain is performed twice. Most often its file is shorter than
// its buffers.
const kernelTrials = 32

// kernelChains performs chains that open a file, read from it and close it, each as one submission
// to the kernel. Helpers repeat a chain that fails or falls short: their plain calls return the
// errors, find the ends of files, and continue short reads. Helpers also take chains while the
// kernel's chains wait for the disk. While these do not wait, helpers would need more processor
// time than the kernel does.
type kernelChains struct {
	r      *run
	runner *chains.Runner
	// dirs has duplicates of the descriptors of the chains' directories: the program may close a
	// directory while chains are in flight.
	dirs map[*sluice.File]int
	// ended and failed count chains.
	ended, failed int

	running sync.WaitGroup // run
}

// newKernelChains returns the kernelChains of r. It returns nil if the kernel performs no chains,
// if it is busy with another Batch, or if r has too few chains.
func (r *run) newKernelChains() *kernelChains {
	if r.b.n < 3*kernelLeast || r.core.Classes().Active() { // the kernel knows no classes
		return nil
	}
	n := 0
	for i := range r.b.n {
		if op := r.b.op(i); op.fitsKernel() {
			op.inKernel = true
			n++
		}
	}
	if n < kernelLeast {
		return nil
	}
	runner := r.core.TryChainRunner()
	if runner == nil {
		return nil
	}
	return &kernelChains{r: r, runner: runner}
}

// fitsKernel reports whether op begins a chain that the kernel can perform.
func (op *Op) fitsKernel() bool {
	const changes = os.O_CREATE | os.O_TRUNC | os.O_WRONLY | os.O_RDWR
	if op.inner || op.kind != opOpenFile || !op.owned || int(op.off)&changes != 0 {
		return false
	}
	n := 1
	next := op.next
	for next != nil && next.kind == opReadAt && next.open == op && next.off >= 0 {
		next = next.next
		n++
	}
	closes := next != nil && next.kind == opCloseFile && next.open == op && next.next == nil
	return closes && n < chains.MaxOps
}

// has reports whether the kernel performs the chain that begins with op.
func (k *kernelChains) has(op *Op) bool { return k != nil && op.inKernel }

// run performs the kernel's chains.
func (k *kernelChains) run() {
	k.runner.Run(k.r.ctx, k)
	k.runner.Leave()
	for _, fd := range k.dirs {
		sys.Close(fd)
	}
	k.r.share() // the kernel may have left some chains
}

// Wait is called when chains wait for the disk.
func (k *kernelChains) Wait() { k.r.share() }

// Next prepares the next chain.
func (k *kernelChains) Next(c *chains.Chain) bool {
	if k.r.ctx.Err() != nil || k.failed >= kernelTrials && 2*k.failed >= k.ended {
		return false
	}
	head, ok := k.r.takeForKernel()
	for ; ok; head, ok = k.r.takeForKernel() {
		if dir, ok := k.dirOf(head); ok && c.Open(head, dir, head.name, int(head.off)|largeFile) {
			break
		}
		k.r.retry(head) // for the error
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

// dirOf returns a descriptor of the directory of op's name.
func (k *kernelChains) dirOf(op *Op) (fd int, ok bool) {
	if op.dir == nil {
		return chains.WorkingDir, true
	}
	if fd, ok = k.dirs[op.dir]; ok {
		return fd, true
	}
	fd, err := op.dupDir()
	if err != nil {
		return 0, false
	}
	if k.dirs == nil {
		k.dirs = make(map[*sluice.File]int)
	}
	k.dirs[op.dir] = fd
	return fd, true
}

// Ended processes a chain that has ended.
func (k *kernelChains) Ended(owner any, all bool) {
	head := owner.(*Op)
	k.ended++
	if !all {
		k.failed++
		k.r.retry(head)
		return
	}
	for op := head; op != nil; op = op.next {
		op.n = len(op.buf)
		op.finish(nil)
		k.r.report(op)
	}
}
