package gnucp

import (
	"context"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/internal/text"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// patience is how long an interrupted copy may take to end. A copy that takes
// longer waits for something that nothing can end: a FIFO without a writer, a
// disk that does not answer.
const patience = 800 * time.Millisecond

// copied is what engine.Copy returns.
type copied struct {
	result report.Result
	err    error
}

// copy copies the pairs. If ctx ends it waits at most patience for the copy to
// end. It then leaves the copying goroutine running, because the process is about
// to exit.
func (r *run) copy(ctx context.Context, copyAll copier, pairs []option.Pair) (report.Result, error) {
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
	r.warn("the copy of a file could not be ended, and the file may be incomplete")
	p := &r.progress
	return report.Result{Files: p.Files.Load(), Dirs: p.Dirs.Load(), Bytes: p.Bytes.Load(), Failed: p.Failed.Load()}, context.Cause(ctx)
}

// soFar returns what a copy that ended early has done.
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

// goOn returns how to copy the files that are left. If copies keep their times,
// --resume recognizes complete files, else -u does. If this run has made the
// destination directory, the next run needs -T: without it the source would be
// copied into that directory.
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
