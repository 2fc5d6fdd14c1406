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

// notifier is an eventfd on which the goroutine in Reap waits in Go's netpoller.
// Its count means nothing and is never read: the netpoller waits for edges, and
// each addition is one, even while the count is not zero.
//
// The kernel adds to it for every completion. Other goroutines, which have put
// something where the waiting goroutine looks, call notify. It does something only
// if a goroutine may be waiting: that goroutine sets armed, then looks; the others
// put, then read armed. So one of them sees the other. They do not write to the
// eventfd, as another file may have its number by then, but make a deadline of
// the wait pass.
//
// The eventfd is opened when it is first used: a program may close all descriptors
// when it begins, except those of the netpoller. If the program closes it later,
// nothing reports that. So watch looks every checkEvery, while a goroutine waits,
// whether it is still there.
type notifier struct {
	once    sync.Once
	openErr error // why it could not be opened. Written by init
	fd      int
	self    sys.Descriptor // fd, as it was opened
	file    *os.File       // nil until it is opened
	conn    syscall.RawConn
	armed   atomic.Bool
	gone    func() // called when another file has the eventfd's number

	watching atomic.Bool // a call of watch is due, or watch has called gone
	mu       sync.Mutex
	timer    *time.Timer // calls watch. Protected by mu
	closed   bool        // protected by mu
	watches  sync.WaitGroup
}

// checkEvery bounds how long a lost eventfd goes unnoticed.
const checkEvery = time.Second

// probeEventfd returns why the process cannot have an eventfd; nil if it can.
func probeEventfd() error {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	return unix.Close(fd)
}

// ready opens the eventfd, if it was not used before.
func (b *notifier) ready() error {
	b.once.Do(func() { b.openErr = b.init() })
	return b.openErr
}

func (b *notifier) init() error {
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
	if b.conn, err = file.SyscallConn(); err != nil {
		file.Close()
		return err
	}
	b.fd, b.file, b.self = fd, file, sys.Describe(fd)
	return nil
}

// wait calls ready until it returns true: first at once, then after each
// notification.
func (b *notifier) wait(ready func(fd uintptr) bool) error {
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
		_ = b.file.SetReadDeadline(time.Time{}) // Read calls ready again
	}
}

// notify makes a waiting goroutine call ready again.
func (b *notifier) notify() {
	if b.armed.Load() {
		_ = b.file.SetReadDeadline(time.Unix(1, 0))
	}
}

// watchLater makes the timer call watch, unless the notifier is closed.
func (b *notifier) watchLater() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.watches.Add(1)
		b.timer = time.AfterFunc(checkEvery, b.watch)
	}
}

// watch checks that the eventfd is still there, and again later as long as a
// goroutine waits.
func (b *notifier) watch() {
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

// stopWatch stops watch, and waits for a call in progress.
func (b *notifier) stopWatch() {
	b.mu.Lock()
	b.closed = true
	if b.timer != nil && b.timer.Stop() {
		b.watches.Done()
	}
	b.mu.Unlock()
	b.watches.Wait()
}

// abandoned keeps files whose descriptors' numbers belong to the program's files by
// now. To close them would close the program's files, and so would the garbage
// collector.
var abandoned struct {
	mu    sync.Mutex
	files []*os.File
}

// close closes the eventfd. No goroutine may be waiting.
func (b *notifier) close() error {
	b.stopWatch()
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
