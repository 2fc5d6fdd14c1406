package content

import (
	"golang.org/x/sys/unix"
)

const (
	// pipeSize is the number of bytes that go through a pipe at a time. They should fit a
	// processor's caches. With 64 KiB, the size that copy_file_range(2) uses inside the kernel, a
	// copy is a sixth slower.
	pipeSize = 256 << 10 // 256 KiB
	// minPipe is the least size of a useful pipe. A user with many pipes gets small ones
	// (pipe-user-pages-soft, pipe(7)).
	minPipe = 64 << 10 // 64 KiB
	// idlePipes is the most unused pipes that are kept.
	idlePipes = 16
)

// pipe carries the data of a file inside the kernel. An unused pipe is empty.
type pipe struct{ in, out int }

// pipes are the pipes of a Copier: one for each large file in progress, and up to idlePipes unused
// ones.
type pipes struct{ free chan pipe }

func newPipes() pipes { return pipes{free: make(chan pipe, idlePipes)} }

// get returns an empty pipe, or false if there can be none.
func (p pipes) get() (_ pipe, ok bool) {
	select {
	case free := <-p.free:
		return free, true
	default:
	}
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return pipe{}, false
	}
	made := pipe{in: fds[1], out: fds[0]}
	size, err := unix.FcntlInt(uintptr(made.in), unix.F_SETPIPE_SZ, pipeSize)
	if err != nil {
		size, err = unix.FcntlInt(uintptr(made.in), unix.F_GETPIPE_SZ, 0)
	}
	if err != nil || size < minPipe {
		made.close()
		return pipe{}, false
	}
	return made, true
}

// put takes back an empty pipe.
func (p pipes) put(empty pipe) {
	select {
	case p.free <- empty:
	default:
		empty.close()
	}
}

// close closes the unused pipes.
func (p pipes) close() {
	for {
		select {
		case free := <-p.free:
			free.close()
		default:
			return
		}
	}
}

func (p pipe) close() {
	_ = unix.Close(p.in)
	_ = unix.Close(p.out)
}
