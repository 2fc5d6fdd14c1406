package cp

import (
	"context"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/copytree"
)

// patience is how long a copy may take to end once it has to. What is longer
// waits for something that nothing can end: a FIFO that nobody writes to, a
// disk that does not answer.
const patience = 800 * time.Millisecond

// copied is what a copy returns.
type copied struct {
	result copytree.Result
	err    error
}

// copy copies, until ctx has ended and patience is over. Nobody waits for the
// goroutine then, but the process ends.
func (r *run) copy(ctx context.Context, copyAll copier, pairs []copytree.Pair) (copytree.Result, error) {
	done := make(chan copied, 1)
	go func() {
		result, err := copyAll(ctx, pairs, r.options)
		done <- copied{result, err}
	}()
	select {
	case c := <-done:
		return c.result, c.err
	case <-ctx.Done():
	}
	select {
	case c := <-done:
		return c.result, c.err
	case <-time.After(patience):
	}
	r.warn("what was being copied has not ended, and may be there in part")
	p := &r.progress
	return copytree.Result{Files: p.Files.Load(), Dirs: p.Dirs.Load(), Bytes: p.Bytes.Load(), Failed: p.Failed.Load()}, context.Cause(ctx)
}

// soFar says what a copy has done that ended early.
func (r *run) soFar(sum summary) string {
	files := "files"
	if sum.Files == 1 {
		files = "file"
	}
	return fmt.Sprintf("after %d %s, %s", sum.Files, files, report.Bytes(sum.Bytes))
}

// wasAt names the file that was begun last.
func (r *run) wasAt() string {
	if at := r.progress.Current(); at != "" {
		return ", at " + quote(at)
	}
	return ""
}

// goOn says how to copy what is left. Files that kept their times are told
// from those that are not done by --resume, others by -u; and where the copy
// has made the destination, it is a directory to copy into for the next call.
func (r *run) goOn() string {
	flag := "-u"
	if r.options.Resume || r.options.Preserve&copytree.PreserveTimes != 0 {
		flag = "--resume"
	}
	if r.intoNew {
		flag += " -T"
	}
	return "the same command with " + flag + " goes on"
}
