//go:build unix

package content

import "golang.org/x/sys/unix"

// patience is how long it takes at most to see that the context has ended, in
// milliseconds.
const patience = 100

var pollEvents = [...]int16{input: unix.POLLIN, output: unix.POLLOUT}

// await waits until a file can be read from or written to, or the context has
// ended. Terminals that poll(2) refuses, as macOS does, are ready.
func (j *job) await(fd int, d direction) error {
	for {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		ready := []unix.PollFd{{Fd: int32(fd), Events: pollEvents[d]}}
		if n, err := unix.Poll(ready, patience); n > 0 || err != nil && err != unix.EINTR {
			return nil
		}
	}
}
