package gnucp

import (
	"context"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/internal/text"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// patience is the longest time in which an interrupted copy may end. A slower copy waits for
// something that may never come: a writer of a FIFO, a disk that does not answer.
const patience = 800 * time.Millisecond

// copied holds the results of engine.Copy.
type copied struct {
	result report.Result
	err    error
}

// copy copies the pairs. After ctx ends, it waits at most c.patience for the copy to end. Then it
// returns without the copying goroutine, because the process is about to exit.
func (r *run) copy(ctx context.Context, c *command, pairs []option.Pair) (report.Result, error) {
	done := make(chan copied, 1)
	go func() {
		result, err := c.copy(ctx, pairs, r.options)
		done <- copied{result, err}
	}()
	select {
	case all := <-done:
		return all.result, all.err
	case <-ctx.Done():
	}
	select {
	case all := <-done:
		return all.result, all.err
	case <-time.After(c.patience):
	}
	r.warn("the copy of a file could not be ended, and the file may be incomplete")
	p := &r.progress
	return report.Result{Files: p.Files.Load(), Dirs: p.Dirs.Load(), Bytes: p.Bytes.Load(), Failed: p.Failed.Load()}, context.Cause(ctx)
}

// soFar returns a sentence about the files that a copy has copied before it ended early.
func (r *run) soFar(sum summary) string {
	files := "files"
	if sum.Files == 1 {
		files = "file"
	}
	return fmt.Sprintf("after %d %s, %s", sum.Files, files, text.Bytes(sum.Bytes))
}

// wasAt returns the name of the file that was begun last.
func (r *run) wasAt() string {
	if at := r.progress.Current(); at != "" {
		return ", at " + quote(at)
	}
	return ""
}

// goOn returns a hint on how to copy the rest. --resume recognizes complete files if copies keep
// their times; otherwise it advises -u. If this run has made the destination directory, the next
// run needs -T: without it the source would be copied into that directory.
func (r *run) goOn() string {
	flag := "-u"
	if r.options.Resume || r.options.Preserve&option.PreserveTimes != 0 {
		flag = "--resume"
	}
	if r.intoNew {
		flag += " -T"
	}
	return "the same command with " + flag + " goes on"
}
