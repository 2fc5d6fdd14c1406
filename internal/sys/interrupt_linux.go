//go:build amd64 || arm64

package sys

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// InterruptThreads sends all threads of this process a signal, which ends waiting system calls with
// EINTR. The signal is SIGURG, with which the Go runtime preempts goroutines: every Go program must
// expect it at any time.
func InterruptThreads() {
	fd, err := unix.Open("/proc/self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	pid := unix.Getpid()
	for buf := make([]byte, 4<<10); ; { // 4 KiB
		n, err := unix.ReadDirent(fd, buf)
		if err != nil || n <= 0 {
			return
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if tid, err := strconv.Atoi(name); err == nil {
				_ = unix.Tgkill(pid, tid, unix.SIGURG) // the thread may have ended
			}
		}
	}
}
