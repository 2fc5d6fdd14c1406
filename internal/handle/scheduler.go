// Package handle is the inside of a sluice.Scheduler and of a sluice.File, which package sluice
// shares with the module's other packages, and hides from programs.
//
//	h := inside.Scheduler(s) // s is a *sluice.Scheduler
//	if err := h.Acquire(); err != nil {
//		return err // it is closed
//	}
//	defer h.Release()
//	file := inside.File(f).IO // nil if f has no disk I/O
//	if !file.Use() {
//		return os.ErrClosed
//	}
//	defer file.Done() // Close of f waits for it
//	n, err := h.Core.ReadAt(ctx, file, b, off)
//
// It knows which files of a Scheduler are open, closes them, and wraps errors at the API's edge.
// Package sched decides which path an operation takes.
//
// # Concurrency
//
// All functions and methods may be called by any number of goroutines at once, unless they say
// otherwise.
package handle

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/errs"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/sched"
)

// Scheduler is the inside of a sluice.Scheduler.
type Scheduler struct {
	Core *sched.Scheduler
	Memory
	caps caps
	// Prefetches is the number of goroutines that File.Prefetch has started.
	Prefetches atomic.Int32
	// newDriver opens one more driver; see NewDriver. It may be nil.
	newDriver func(depth int) driver.Driver
	// Face is the *sluice.Scheduler: it lives as long as a File of it. It is set before s is used.
	Face any
	// Disk is the simulated disk that s is on, or nil. It is set before s is used.
	Disk Disk
	// NeverLook keeps reads of Files that are opened from looking into the page cache. It is set
	// before s is used.
	NeverLook bool

	// users counts Acquires without a Release. It grows with mu held, and not once closed is set.
	users sync.WaitGroup

	mu     sync.Mutex
	closed bool
	// files are the open Files. The pointers are weak, so that the garbage collector closes a File
	// that was dropped.
	files map[weak.Pointer[File]]struct{}
}

// ErrClosed is the error of calls on a closed Scheduler.
var ErrClosed = errs.Wrap("scheduler closed", os.ErrClosed)

// New returns a Scheduler that owns core, with at most bufferMemory bytes of Buffers (0 is the
// default). NewDriver calls newDriver, which may be nil.
func New(core *sched.Scheduler, bufferMemory int64, newDriver func(depth int) driver.Driver) *Scheduler {
	s := &Scheduler{
		Core:      core,
		Memory:    newMemory(core, bufferMemory),
		newDriver: newDriver,
		files:     make(map[weak.Pointer[File]]struct{}),
	}
	s.caps.capOf = capOf
	core.Classes().SetCapFinder(func(number uint64) fair.Cap {
		s.caps.forget(core) // so that found does not grow
		return s.caps.of(number)
	})
	return s
}

// NewDriver opens a driver of s's kind, with up to depth operations in flight, for a goroutine that
// makes batches of buffered reads. It returns nil if a driver of that kind would read with threads.
// The caller closes the driver.
func (s *Scheduler) NewDriver(depth int) driver.Driver {
	if s.newDriver == nil {
		return nil
	}
	drv := s.newDriver(depth)
	if drv == nil || drv.Async(&driver.Op{Code: driver.Read}) {
		return drv
	}
	_ = drv.Close() // nothing is in flight
	return nil
}

// Acquire keeps s open: Close waits until Release. The error is ErrClosed.
func (s *Scheduler) Acquire() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.users.Add(1)
	return nil
}

// Release ends an Acquire.
func (s *Scheduler) Release() { s.users.Done() }

// Usable returns ErrClosed if s is closed.
func (s *Scheduler) Usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return nil
}

// Close waits for all users, closes every File and then the core. It returns their errors.
// A second Close returns ErrClosed.
func (s *Scheduler) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.closed = true
	files := s.files
	s.files = nil
	s.mu.Unlock()
	s.users.Wait()
	var errs []error
	for p := range files {
		if f := p.Value(); f != nil {
			errs = append(errs, ignoreClosed(f.Close()))
			f.ended.Wait() // another goroutine may be closing it
		}
	}
	s.freeMemory()
	return errors.Join(append(errs, s.Core.Close())...)
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// Busy returns the number of open files, and how many operations are in progress on those on which
// there are any, by name. It counts no file that is not on a disk.
func (s *Scheduler) Busy() (open int, busy map[string]int) {
	busy = make(map[string]int)
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.files {
		f := p.Value()
		if f == nil || f.IO == nil {
			continue
		}
		open++
		if n := f.IO.InUse(); n > 0 {
			busy[f.OS.Name()] += n
		}
	}
	return open, busy
}

// add notes an open File, unless the Scheduler is closed.
func (s *Scheduler) add(p weak.Pointer[File]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.files[p] = struct{}{}
	return nil
}

// remove forgets a File that was closed or collected.
func (s *Scheduler) remove(p weak.Pointer[File]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, p)
}
