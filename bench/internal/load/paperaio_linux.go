package load

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/linuxaio"
)

// paperFile performs each operation as the library of Wilson and Mutschlechner (2017) does for a
// single request: one io_submit, then io_getevents until the request is done. It reuses its
// contexts.
type paperFile struct {
	*os.File
	contexts chan *paperContext
	timed    bool
	syscalls Syscalls // of the last slice, if timed
}

// paperContext is an io_context_t with the memory of its one request.
type paperContext struct {
	linuxaio.Context
	cb    linuxaio.IOCB
	cbs   *linuxaio.IOCB // &cb, because io_submit takes an array of pointers
	event [1]linuxaio.Event

	timed bool
	took  [paperCalls]paperTime
}

// The indices of paperContext.took.
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

// openPaperAIO opens path with one context for each goroutine.
func openPaperAIO(path string, flag, goroutines int, timed bool) (*target, error) {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	p := &paperFile{File: f, contexts: make(chan *paperContext, goroutines), timed: timed}
	for range goroutines {
		c := &paperContext{timed: timed}
		if err := c.setup(); err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.contexts <- c
	}
	t := &target{file: p, close: p.close}
	if timed {
		t.begin = func(int64) error { p.collect(); return nil }
		t.end = func() error { p.syscalls = p.collect(); return p.timeContext() }
		t.syscalls = func() *Syscalls { return &p.syscalls }
	}
	return t, nil
}

// collect returns the system calls of all contexts since the last collect. No request may be in
// flight.
func (p *paperFile) collect() (s Syscalls) {
	for range len(p.contexts) {
		c := <-p.contexts
		s.addContext(c)
		p.contexts <- c
	}
	return s
}

// timeContext adds the calls that make and destroy a context, measured on an unused one. Destroying
// the contexts of each slice would take longer than the slice.
func (p *paperFile) timeContext() error {
	c := &paperContext{timed: true}
	if err := c.setup(); err != nil {
		return err
	}
	c.destroy()
	p.syscalls.addContext(c)
	return nil
}

// addContext adds the calls of a context, and resets its counts.
func (s *Syscalls) addContext(c *paperContext) {
	if len(s.Calls) == 0 {
		s.Calls = make([]Syscall, paperCalls)
	}
	for i, took := range c.took {
		s.Calls[i].Name = paperCallNames[i]
		s.Calls[i].Count += took.count
		s.Calls[i].Time += took.time
	}
	s.Ops += c.took[paperSubmit].count
	c.took = [paperCalls]paperTime{}
}

func (c *paperContext) setup() error {
	c.cbs = &c.cb
	begin := c.begin()
	id, err := linuxaio.Setup(1)
	c.end(paperSetup, begin)
	if err != nil {
		return &unsupportedError{os.NewSyscallError("io_setup", err).Error()}
	}
	c.Context = id
	return nil
}

// destroy destroys the context, which must be idle.
func (c *paperContext) destroy() {
	begin := c.begin()
	_ = c.Destroy()
	c.end(paperDestroy, begin)
}

// begin returns the time if calls are timed, else the zero time.
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

// close closes the file and destroys its contexts.
func (p *paperFile) close() error {
	for len(p.contexts) > 0 {
		c := <-p.contexts
		c.destroy()
	}
	return p.Close()
}

func (p *paperFile) ReadAt(b []byte, off int64) (int, error) { return p.call(linuxaio.Pread, b, off) }

func (p *paperFile) WriteAt(b []byte, off int64) (int, error) { return p.call(linuxaio.Pwrite, b, off) }

func (p *paperFile) call(opcode uint16, b []byte, off int64) (int, error) {
	c := <-p.contexts
	defer func() { p.contexts <- c }()
	c.cb = linuxaio.IOCB{Opcode: opcode, FD: uint32(p.Fd()), Buf: unsafe.SliceData(b), Bytes: uint64(len(b)), Offset: off}
	begin := c.begin()
	err := c.Submit(&c.cbs)
	c.end(paperSubmit, begin)
	if err != nil {
		return 0, os.NewSyscallError("io_submit", err)
	}
	for {
		begin := c.begin()
		_, err := c.Getevents(c.event[:], nil)
		c.end(paperGetevents, begin)
		res := c.event[0].Res
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, os.NewSyscallError("io_getevents", err)
		case res < 0:
			return 0, unix.Errno(-res)
		}
		return int(res), nil
	}
}
