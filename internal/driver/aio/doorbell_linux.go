//go:build amd64 || arm64

package aio

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// doorbell is an eventfd on which the goroutine in Reap waits in Go's
// netpoller. Its count means nothing and is never read: the netpoller waits
// for edges, and each addition is one, even while the count is not zero.
//
// The kernel rings for every completion. Others, who have put something where
// the waiting goroutine looks, ring only if there may be one: it sets armed,
// then looks; they put, then read armed. One of them sees the other. They do not
// write to the eventfd, whose number could be another file's by then, but let a
// deadline of the wait pass.
//
// It is opened when it is first used: a program may close all descriptors when it
// begins, and not those of the netpoller. If the program closes it later, nobody
// is told: while somebody waits, watch looks every checkEvery whether it is still
// there.
type doorbell struct {
	open  sync.Once
	bad   error // why it could not be opened. Written by open
	fd    int
	self  sys.Descriptor // fd, as it was opened
	file  *os.File       // nil before open
	conn  syscall.RawConn
	armed atomic.Bool
	gone  func() // called when the descriptor is not the doorbell's any more

	watching atomic.Bool // watch will be called, or has called gone
	mu       sync.Mutex
	timer    *time.Timer // calls watch. Under mu
	closed   bool        // under mu
	watches  sync.WaitGroup
}

const checkEvery = time.Second

// allowed reports why there can be no doorbell; nil if there can.
func allowed() error {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	return unix.Close(fd)
}

// ready opens the doorbell, if nobody has used it before.
func (b *doorbell) ready() error {
	b.open.Do(func() { b.bad = b.init() })
	return b.bad
}

func (b *doorbell) init() error {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	file := os.NewFile(uintptr(fd), "eventfd")
	// Without the netpoller a wait would fail; a deadline tells at once.
	if err := file.SetReadDeadline(time.Time{}); err != nil {
		file.Close()
		return fmt.Errorf("eventfd: not in the netpoller: %w", err)
	}
	if b.conn, err = file.SyscallConn(); err != nil {
		file.Close()
		return err
	}
	b.fd, b.file, b.self = fd, file, sys.Describe(fd)
	return nil
}

// wait calls ready, at first and whenever it has rung, until it says true.
func (b *doorbell) wait(ready func(fd uintptr) bool) error {
	b.armed.Store(true)
	defer b.armed.Store(false)
	if !b.watching.Load() && b.watching.CompareAndSwap(false, true) {
		b.watchLater()
	}
	for {
		err := b.conn.Read(ready)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		_ = b.file.SetReadDeadline(time.Time{}) // then it looks again
	}
}

// ring makes a waiting goroutine look again.
func (b *doorbell) ring() {
	if b.armed.Load() {
		_ = b.file.SetReadDeadline(time.Unix(1, 0))
	}
}

// watchLater has watch be called, unless the doorbell is closed.
func (b *doorbell) watchLater() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.watches.Add(1)
		b.timer = time.AfterFunc(checkEvery, b.watch)
	}
}

// watch looks whether the doorbell is still there, and does so again as long as
// somebody waits.
func (b *doorbell) watch() {
	defer b.watches.Done()
	if !b.self.Same() {
		b.gone()
		return
	}
	b.watching.Store(false)
	if b.armed.Load() && b.watching.CompareAndSwap(false, true) {
		b.watchLater()
	}
}

// unwatch ends that.
func (b *doorbell) unwatch() {
	b.mu.Lock()
	b.closed = true
	if b.timer != nil && b.timer.Stop() {
		b.watches.Done()
	}
	b.mu.Unlock()
	b.watches.Wait()
}

// abandoned are doorbells whose number means a file of the program's by now: to
// close them would close that, and so would the garbage collector.
var abandoned struct {
	mu    sync.Mutex
	files []*os.File
}

// close closes the doorbell. Nobody waits any more.
func (b *doorbell) close() error {
	b.unwatch()
	switch {
	case b.file == nil:
		return nil
	case b.self.Same():
		return b.file.Close()
	}
	abandoned.mu.Lock()
	defer abandoned.mu.Unlock()
	abandoned.files = append(abandoned.files, b.file)
	return nil
}
