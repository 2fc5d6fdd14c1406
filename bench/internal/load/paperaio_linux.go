package load

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/linuxaio"
)

// paperFile performs each call as the library of Wilson and Mutschlechner
// (2017) did for a lone request: one io_submit, then io_getevents until it is
// done, on a context taken from those kept for re-use.
type paperFile struct {
	*os.File
	contexts chan *paperContext
	timed    bool
	syscalls Syscalls // if timed, of the last slice
}

// paperContext is an io_context_t with one request's memory.
type paperContext struct {
	linuxaio.Context
	cb    linuxaio.IOCB
	cbs   *linuxaio.IOCB // an array of one: &cb
	event [1]linuxaio.Event

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

// openPaperAIO opens path with one context a goroutine.
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
		t.end = func() error { p.syscalls = p.collect(); return p.spare() }
		t.syscalls = func() *Syscalls { return &p.syscalls }
	}
	return t, nil
}

// collect returns what the contexts, which are all idle, have done since the
// last time.
func (p *paperFile) collect() (s Syscalls) {
	for range len(p.contexts) {
		c := <-p.contexts
		s.take(c)
		p.contexts <- c
	}
	return s
}

// spare adds the calls that make and destroy a context, of one that is not
// used: to destroy those of a slice each time would take longer than it.
func (p *paperFile) spare() error {
	c := &paperContext{timed: true}
	if err := c.setup(); err != nil {
		return err
	}
	c.destroy()
	p.syscalls.take(c)
	return nil
}

// take adds the calls of a context, which forgets them.
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

// destroy destroys a context that is idle.
func (c *paperContext) destroy() {
	begin := c.begin()
	_ = c.Destroy()
	c.end(paperDestroy, begin)
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
