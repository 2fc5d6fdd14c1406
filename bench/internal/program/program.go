// Package program runs other programs and measures their time, processor time, memory and threads.
// Run measures a whole program. Watch measures a process that the caller has started.
package program

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Usage is the usage of one run of a program.
type Usage struct {
	Elapsed time.Duration
	CPU     time.Duration // user and system time
	Peak
}

// Run runs the program in the file exe until it ends or ctx does. argv begins with the program's
// name. The error of a failed program has its first line on stderr.
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
	// Between fork and exec the child has this process's memory, and the kernel counts it in the
	// child's ru_maxrss. So ru_maxrss is only true above our own peak. Below it, the last sample
	// must suffice.
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

// headSize is the number of bytes of a program's stderr that Run keeps.
const headSize = 4 << 10 // 4 KiB
