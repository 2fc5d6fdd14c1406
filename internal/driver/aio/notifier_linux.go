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

// notifier is an eventfd on which the goroutine in Reap waits in Go's netpoller. Its count means
// nothing and is never read: the netpoller waits for edges, and each addition is one, even while
// the count is not zero.
//
// The kernel adds to the count for every completion. Other goroutines call notify, after they have
// put something where the waiting goroutine looks. notify does nothing unless a goroutine may be
// waiting: the waiter sets armed, then looks; the caller of notify puts, then reads armed. So one
// of the two sees the other. notify does not write to the eventfd, as another file may have its
// number by then. It makes a deadline of the wait pass.
//
// The eventfd is opened when it is first used: a program may close all descriptors when it begins,
// except the netpoller's. Nothing reports that the program has closed it later. So while a
// goroutine waits, watch looks every checkEvery whether it is still there.
type notifier struct {
	once    sync.Once
	openErr error // the error of opening it. Written by init
	fd      int
	self    sys.Descriptor // fd, as it was opened
	file    *os.File       // nil until it is opened
	conn    syscall.RawConn
	armed   atomic.Bool
	gone    func() // called when another file has the eventfd's number

	watching atomic.Bool // a call of watch is due, or watch has called gone
	mu       sync.Mutex
	timer    *time.Timer // calls watch. Guarded by mu
	closed   bool        // guarded by mu
	watches  sync.WaitGroup
}

// checkEvery bounds how long a lost eventfd goes unnoticed.
const checkEvery = time.Second

// probeEventfd returns the reason why the process cannot have an eventfd, or nil.
func probeEventfd() error {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	return unix.Close(fd)
}

// ready opens the eventfd, if it was not used before.
func (n *notifier) ready() error {
	n.once.Do(func() { n.openErr = n.init() })
	return n.openErr
}

func (n *notifier) init() error {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	file := os.NewFile(uintptr(fd), "eventfd")
	// Without the netpoller a wait would fail. Setting a deadline shows that now.
	if err := file.SetReadDeadline(time.Time{}); err != nil {
		file.Close()
		return fmt.Errorf("eventfd: not in the netpoller: %w", err)
	}
	if n.conn, err = file.SyscallConn(); err != nil {
		file.Close()
		return err
	}
	n.fd, n.file, n.self = fd, file, sys.Describe(fd)
	return nil
}

// wait calls ready until it returns true: first at once, then after each
// notification.
func (n *notifier) wait(ready func(fd uintptr) bool) error {
	n.armed.Store(true)
	defer n.armed.Store(false)
	if !n.watching.Load() && n.watching.CompareAndSwap(false, true) {
		n.watchLater()
	}
	for {
		err := n.conn.Read(ready)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		_ = n.file.SetReadDeadline(time.Time{}) // Read calls ready again
	}
}

// notify makes a waiting goroutine call ready again.
func (n *notifier) notify() {
	if n.armed.Load() {
		_ = n.file.SetReadDeadline(time.Unix(1, 0))
	}
}

// watchLater makes the timer call watch, unless the notifier is closed.
func (n *notifier) watchLater() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.watches.Add(1)
		n.timer = time.AfterFunc(checkEvery, n.watch)
	}
}

// watch checks that the eventfd is still there, and again later while a goroutine waits.
func (n *notifier) watch() {
	defer n.watches.Done()
	if !n.self.Same() {
		n.gone()
		return
	}
	n.watching.Store(false)
	if n.armed.Load() && n.watching.CompareAndSwap(false, true) {
		n.watchLater()
	}
}

// stopWatch stops watch, and waits for a call in progress.
func (n *notifier) stopWatch() {
	n.mu.Lock()
	n.closed = true
	if n.timer != nil && n.timer.Stop() {
		n.watches.Done()
	}
	n.mu.Unlock()
	n.watches.Wait()
}

// abandoned keeps files whose descriptors' numbers belong to the program's files by now. Closing
// them, as the garbage collector would do, would close the program's files.
var abandoned struct {
	mu    sync.Mutex
	files []*os.File
}

// close closes the eventfd. No goroutine may be waiting.
func (n *notifier) close() error {
	n.stopWatch()
	switch {
	case n.file == nil:
		return nil
	case n.self.Same():
		return n.file.Close()
	}
	abandoned.mu.Lock()
	defer abandoned.mu.Unlock()
	abandoned.files = append(abandoned.files, n.file)
	return nil
}
