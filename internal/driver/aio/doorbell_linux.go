//go:build amd64 || arm64

package aio

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// doorbell is an eventfd on which the goroutine in Reap waits in Go's
// netpoller. Its count means nothing and is never read: the netpoller waits
// for edges, and each addition is one, even while the count is not zero.
//
// The kernel rings for every completion. Others, who have put something where
// the waiting goroutine looks, ring only if there may be one: it sets armed,
// then looks; they put, then read armed. One of them sees the other.
type doorbell struct {
	fd    int
	file  *os.File
	conn  syscall.RawConn
	armed atomic.Bool
	hook  *record.Hook
}

var one = []byte{7: 0, 0: 1} // on both architectures the low byte is first

func (b *doorbell) init() error {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	b.fd, b.file = fd, os.NewFile(uintptr(fd), "eventfd")
	// Without the netpoller a wait would fail; a deadline tells at once.
	if err := b.file.SetReadDeadline(time.Time{}); err != nil {
		b.file.Close()
		return fmt.Errorf("eventfd: not in the netpoller: %w", err)
	}
	b.conn, err = b.file.SyscallConn()
	return err
}

// wait calls ready, at first and whenever it has rung, until it says true.
func (b *doorbell) wait(ready func(fd uintptr) bool) error {
	b.armed.Store(true)
	defer b.armed.Store(false)
	return b.conn.Read(ready)
}

// ring makes a waiting goroutine look again.
func (b *doorbell) ring() {
	if b.armed.Load() {
		start := b.hook.Now()
		res := sys.Write(b.fd, one)
		b.hook.Call(start, record.Call{Res: res, Syscall: record.SysEventfd, Drv: record.DriverAIO})
	}
}

func (b *doorbell) close() error { return b.file.Close() }
