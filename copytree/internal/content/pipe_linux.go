package content

import (
	"golang.org/x/sys/unix"
)

const (
	// pipeSize is how many bytes go through a pipe at a time. As much as the
	// caches of a processor hold is what is quickest; a pipe of 64 KiB, as
	// copy_file_range(2) has one inside, is a sixth slower.
	pipeSize = 256 << 10 // 256 KiB
	// pipeLeast is what a pipe must hold to be of use. Users who have many get
	// small ones (pipe-user-pages-soft, pipe(7)).
	pipeLeast = 64 << 10 // 64 KiB
	// pipesIdle is how many are kept that nobody uses.
	pipesIdle = 16
)

// pipe is what the data of a file goes through inside the kernel. It is empty
// when nobody has it.
type pipe struct{ in, out int }

// pipes are the pipes of a Copier: one for each large file that is being copied,
// and some that are kept.
type pipes struct{ free chan pipe }

func newPipes() pipes { return pipes{free: make(chan pipe, pipesIdle)} }

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
	if err != nil || size < pipeLeast {
		made.close()
		return pipe{}, false
	}
	return made, true
}

// put gives back a pipe that is empty.
func (p pipes) put(empty pipe) {
	select {
	case p.free <- empty:
	default:
		empty.close()
	}
}

// close closes those that nobody has.
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
