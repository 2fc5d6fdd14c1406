// Package program runs other programs and measures what they use: time, processor time, memory
// and threads. Run measures a whole program, Watch a process that someone else has started.
package program

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Usage is what one run of a program used.
type Usage struct {
	Elapsed time.Duration
	CPU     time.Duration // user and system time
	Peak
}

// Run runs the program in the file exe until it ends or ctx does. argv begins with the program's
// name. The error of a program that fails has the first line that it wrote to stderr.
func Run(ctx context.Context, exe string, argv []string) (Usage, error) {
	cmd := Command(ctx, exe)
	cmd.Args, cmd.WaitDelay = argv, time.Second
	stderr := Head{Max: headSize}
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Usage{}, err
	}
	stop := Watch(cmd.Process.Pid)
	ours := Look(os.Getpid()).RSS // a peak, so not less than at the fork
	err := cmd.Wait()
	u := Usage{Elapsed: time.Since(start), Peak: stop()}
	u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	// Between fork and exec the child has this process's memory, and the kernel counts that in the
	// child's ru_maxrss. So ru_maxrss is only true above our own peak; below it, the last sample
	// has to do.
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

// headSize is how much of a program's stderr Run keeps.
const headSize = 4 << 10 // 4 KiB
