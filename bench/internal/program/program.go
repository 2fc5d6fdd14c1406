// Package program runs programs as they are, from their start to their end, and
// says what they took.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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
	stderr := Head{Max: headSize}
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
	case err != nil && FirstLine(stderr.String()) != "":
		return u, fmt.Errorf("%w: %s", err, FirstLine(stderr.String()))
	}
	return u, err
}

// headSize is as much as Run keeps of what the program writes to stderr.
const headSize = 4 << 10 // 4 KiB
