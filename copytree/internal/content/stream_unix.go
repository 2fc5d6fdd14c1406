//go:build unix

package content

import "golang.org/x/sys/unix"

// pollTimeout is the most milliseconds until the end of the context is noticed.
const pollTimeout = 100

var pollEvents = [...]int16{input: unix.POLLIN, output: unix.POLLOUT}

// await waits until a stream can be read or written, or until the context ends. A terminal that
// poll(2) refuses, as on macOS, counts as ready.
func (j *job) await(fd int, d direction) error {
	for {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		ready := []unix.PollFd{{Fd: int32(fd), Events: pollEvents[d]}}
		if n, err := unix.Poll(ready, pollTimeout); n > 0 || err != nil && err != unix.EINTR {
			return nil
		}
	}
}
