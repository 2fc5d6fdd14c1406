package load

import (
	"errors"
	"os"
	"time"
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
	timed    bool
	syscalls Syscalls // if timed, of contexts that are destroyed
}

// paperContext is an io_context_t with one request's memory.
type paperContext struct {
	id    uintptr
	cb    iocb
	cbs   [1]*iocb
	event ioEvent

	timed bool
	took  [paperCalls]paperTime
}

// The system calls of a context, by which its times are kept.
const (
	paperSetup = iota
	paperSubmit
	paperGetevents
	paperDestroy
	paperCalls
)

var paperCallNames = [paperCalls]string{"io_setup", "io_submit", "io_getevents", "io_destroy"}

type paperTime struct {
	count int64
	time  time.Duration
}

// openPaperAIO opens path with one context a goroutine. If system calls are
// timed, the contexts are made for each slice.
func openPaperAIO(path string, flag, goroutines int, timed bool) (*target, error) {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	p := &paperFile{File: f, contexts: make(chan *paperContext, goroutines), timed: timed}
	if err := p.setup(); err != nil {
		return nil, errors.Join(err, p.close())
	}
	t := &target{file: p, close: p.close}
	if timed {
		p.destroy()
		t.begin = func(int64) error { return p.setup() }
		t.end = func() error { p.destroy(); return nil }
		t.syscalls = func() *Syscalls { return &p.syscalls }
	}
	return t, nil
}

// setup makes the contexts.
func (p *paperFile) setup() error {
	p.syscalls = Syscalls{}
	for range cap(p.contexts) {
		c := &paperContext{timed: p.timed}
		begin := c.begin()
		_, _, errno := unix.Syscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&c.id)), 0)
		c.end(paperSetup, begin)
		if errno != 0 {
			return &unsupportedError{os.NewSyscallError("io_setup", errno).Error()}
		}
		c.cbs[0] = &c.cb
		p.contexts <- c
	}
	return nil
}

// destroy destroys the contexts, which are all idle by now.
func (p *paperFile) destroy() {
	for len(p.contexts) > 0 {
		c := <-p.contexts
		begin := c.begin()
		_, _, _ = unix.Syscall(unix.SYS_IO_DESTROY, c.id, 0, 0)
		c.end(paperDestroy, begin)
		p.syscalls.take(c)
	}
}

// take adds the calls of a context that is destroyed.
func (s *Syscalls) take(c *paperContext) {
	if len(s.Calls) == 0 {
		s.Calls = make([]Syscall, paperCalls)
	}
	for i, took := range c.took {
		s.Calls[i].Name = paperCallNames[i]
		s.Calls[i].Count += took.count
		s.Calls[i].Time += took.time
	}
	s.Ops += c.took[paperSubmit].count
}

// begin returns the time if calls are timed.
func (c *paperContext) begin() (now time.Time) {
	if c.timed {
		now = time.Now()
	}
	return now
}

func (c *paperContext) end(call int, begin time.Time) {
	if c.timed {
		c.took[call].count++
		c.took[call].time += time.Since(begin)
	}
}

// close is the end of the file and of its contexts.
func (p *paperFile) close() error {
	p.destroy()
	return p.Close()
}

func (p *paperFile) ReadAt(b []byte, off int64) (int, error)  { return p.call(iocbPread, b, off) }
func (p *paperFile) WriteAt(b []byte, off int64) (int, error) { return p.call(iocbPwrite, b, off) }

func (p *paperFile) call(opcode uint16, b []byte, off int64) (int, error) {
	c := <-p.contexts
	defer func() { p.contexts <- c }()
	c.cb = iocb{opcode: opcode, fd: uint32(p.Fd()), buf: unsafe.SliceData(b), nbytes: uint64(len(b)), offset: off}
	begin := c.begin()
	_, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, c.id, 1, uintptr(unsafe.Pointer(&c.cbs)))
	c.end(paperSubmit, begin)
	if errno != 0 {
		return 0, os.NewSyscallError("io_submit", errno)
	}
	for {
		begin := c.begin()
		_, _, errno := unix.Syscall6(unix.SYS_IO_GETEVENTS, c.id, 1, 1, uintptr(unsafe.Pointer(&c.event)), 0, 0)
		c.end(paperGetevents, begin)
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
