package content

import (
	"golang.org/x/sys/unix"
)

const (
	// pipeSize is how many bytes go through a pipe at a time. What a processor's
	// caches hold is quickest; with 64 KiB, which copy_file_range(2) uses inside
	// the kernel, a copy is a sixth slower.
	pipeSize = 256 << 10 // 256 KiB
	// minPipe is what a pipe must hold to be useful. A user with many pipes gets
	// small ones (pipe-user-pages-soft, pipe(7)).
	minPipe = 64 << 10 // 64 KiB
	// idlePipes is how many unused pipes are kept.
	idlePipes = 16
)

// pipe is what the data of a file goes through inside the kernel. A pipe that is
// not in use is empty.
type pipe struct{ in, out int }

// pipes are the pipes of a Copier: one for each large file that is being copied,
// and up to idlePipes unused ones.
type pipes struct{ free chan pipe }

func newPipes() pipes { return pipes{free: make(chan pipe, idlePipes)} }

// get returns an empty pipe, if there can be one.
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
