package load

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// iocb is struct iocb of linux/aio_abi.h (little-endian).
type iocb struct {
	data      uint64
	key       uint32
	rwFlags   uint32
	opcode    uint16
	reqprio   int16
	fd        uint32
	buf       *byte // 64 bits on the architectures below
	nbytes    uint64
	offset    int64
	reserved2 uint64
	flags     uint32
	resfd     uint32
}

// The opcodes of linux/aio_abi.h.
const (
	iocbPread  = 0
	iocbPwrite = 1
)

// ioEvent is struct io_event of linux/aio_abi.h.
type ioEvent struct {
	data, obj uint64
	res, res2 int64
}

// paperFile performs each call as the library of Wilson and Mutschlechner
// (2017) did for a lone request: one io_submit, then io_getevents until it is
// done, on a context taken from those kept for re-use.
type paperFile struct {
	*os.File
	contexts chan *paperContext
}

// paperContext is an io_context_t with one request's memory.
type paperContext struct {
	id    uintptr
	cb    iocb
	cbs   [1]*iocb
	event ioEvent
}

// openPaperAIO opens path with one context a goroutine.
func openPaperAIO(path string, flag, goroutines int) (*target, error) {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	p := &paperFile{File: f, contexts: make(chan *paperContext, goroutines)}
	for range goroutines {
		c := new(paperContext)
		if _, _, errno := unix.Syscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&c.id)), 0); errno != 0 {
			_ = p.close()
			return nil, &unsupportedError{os.NewSyscallError("io_setup", errno).Error()}
		}
		c.cbs[0] = &c.cb
		p.contexts <- c
	}
	return &target{file: p, close: p.close}, nil
}

// close destroys the contexts, which are all idle by now.
func (p *paperFile) close() error {
	for len(p.contexts) > 0 {
		c := <-p.contexts
		_, _, _ = unix.Syscall(unix.SYS_IO_DESTROY, c.id, 0, 0)
	}
	return p.Close()
}

func (p *paperFile) ReadAt(b []byte, off int64) (int, error)  { return p.call(iocbPread, b, off) }
func (p *paperFile) WriteAt(b []byte, off int64) (int, error) { return p.call(iocbPwrite, b, off) }

func (p *paperFile) call(opcode uint16, b []byte, off int64) (int, error) {
	c := <-p.contexts
	defer func() { p.contexts <- c }()
	c.cb = iocb{opcode: opcode, fd: uint32(p.Fd()), buf: unsafe.SliceData(b), nbytes: uint64(len(b)), offset: off}
	if _, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, c.id, 1, uintptr(unsafe.Pointer(&c.cbs))); errno != 0 {
		return 0, os.NewSyscallError("io_submit", errno)
	}
	for {
		_, _, errno := unix.Syscall6(unix.SYS_IO_GETEVENTS, c.id, 1, 1, uintptr(unsafe.Pointer(&c.event)), 0, 0)
		switch {
		case errno == unix.EINTR:
			continue
		case errno != 0:
			return 0, os.NewSyscallError("io_getevents", errno)
		case c.event.res < 0:
			return 0, unix.Errno(-c.event.res)
		}
		return int(c.event.res), nil
	}
}
