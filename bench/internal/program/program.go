// Package program runs programs as they are, from their start to their end, and
// says what they took.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Usage is what one run of a program took.
type Usage struct {
	Elapsed time.Duration
	CPU     time.Duration // user and system time
	Peak
}

// Run runs the program in the file exe to its end, which comes early if ctx
// ends. argv begins with the program's name. The error of a program that fails
// has the first line that it wrote to stderr.
func Run(ctx context.Context, exe string, argv []string) (Usage, error) {
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args, cmd.WaitDelay = argv, time.Second
	Alone(cmd)
	var stderr head
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Usage{}, err
	}
	stop := Watch(cmd.Process.Pid)
	ours := Look(os.Getpid()).RSS // the most there ever was: not less than when it was made
	err := cmd.Wait()
	u := Usage{Elapsed: time.Since(start), Peak: stop()}
	u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	// A process that is just being made has the memory of the one that makes
	// it, and the kernel counts that: ru_maxrss says something of its own only
	// beyond that, and what was seen last has to do below it.
	if rss := maxRSS(cmd.ProcessState); rss > ours {
		u.RSS = max(u.RSS, rss)
	}
	switch {
	case ctx.Err() != nil:
		return u, context.Cause(ctx)
	case err != nil && stderr.line() != "":
		return u, fmt.Errorf("%w: %s", err, stderr.line())
	}
	return u, err
}

// head keeps the beginning of what is written to it.
type head struct{ text []byte }

const headSize = 4 << 10

func (h *head) Write(b []byte) (int, error) {
	h.text = append(h.text, b[:min(len(b), headSize-len(h.text))]...)
	return len(b), nil
}

// line returns the first line.
func (h *head) line() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.text)), "\n")
	return line
}
