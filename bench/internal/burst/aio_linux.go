package burst

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/linuxaio"
)

// aioQueue is a context of Linux AIO.
type aioQueue struct {
	context linuxaio.Context
	cbs     []linuxaio.IOCB
	cb      *linuxaio.IOCB   // the request; io_submit takes its address as an array
	events  []linuxaio.Event // only for the reaping thread
}

func newContext(fd int, memory []byte, writes, size int) (*aioQueue, error) {
	c, err := linuxaio.Setup(writes)
	if err != nil {
		return nil, os.NewSyscallError("io_setup", err)
	}
	q := &aioQueue{context: c, cbs: make([]linuxaio.IOCB, writes), events: make([]linuxaio.Event, writes)}
	for i := range q.cbs {
		q.cbs[i] = linuxaio.IOCB{
			Data: uint64(i), Opcode: linuxaio.Pwrite, FD: uint32(fd),
			Buf: &memory[i*size], Bytes: uint64(size), Offset: int64(i) * int64(size),
		}
	}
	return q, nil
}

func (q *aioQueue) submit(i int) error {
	q.cb = &q.cbs[i]
	for {
		err := q.context.Submit(&q.cb)
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("io_submit", err)
		}
	}
}

func (q *aioQueue) reap(done func(i int, res int64)) error {
	timeout := unix.NsecToTimespec(int64(reapWait))
	n, err := q.context.Getevents(q.events, &timeout)
	if err != nil && !errors.Is(err, unix.EINTR) {
		return os.NewSyscallError("io_getevents", err)
	}
	for _, e := range q.events[:max(n, 0)] {
		done(int(e.Data), e.Res)
	}
	return nil
}

func (q *aioQueue) close() error { return os.NewSyscallError("io_destroy", q.context.Destroy()) }
