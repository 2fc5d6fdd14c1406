//go:build amd64 || arm64

package uring

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// maxBuffers is the most pieces of memory that can be registered with a Ring. Before 5.13 the
// kernel's table could not be changed while operations were in flight, so the Ring has no table.
const maxBuffers = 1024

// buffers is the registered memory. The first Register makes the kernel's table.
type buffers struct {
	mu sync.Mutex // never held while operations are submitted
	// mem has an element for each entry of the table; nil is a free one. It keeps the memory
	// reachable: the kernel goes on using the pages that it has pinned, even if the addresses are
	// used for something else later.
	mem    [][]byte
	err    error // the error of making the table
	closed bool
}

var errClosed = errors.New("uring: Register on a closed ring")

// Register implements driver.Registrar. The error wraps the kernel's: ENOMEM
// if RLIMIT_MEMLOCK is reached, EINVAL before Linux 5.13, EFAULT if mem is not
// wholly mapped and writable, or EOVERFLOW if it has more than 1 GiB.
func (r *Ring) Register(mem []byte) (index int, err error) {
	if len(mem) == 0 {
		return 0, errors.New("uring: Register of no memory")
	}
	open := r.ready() // takes mu if the ring cannot be opened
	b := &r.buffers
	b.mu.Lock()
	defer b.mu.Unlock()
	switch err := r.lost(); {
	case err != nil:
		return 0, fmt.Errorf("uring: Register on a lost ring: %w", err)
	case !open:
		return 0, errClosed
	}
	if err := b.table(r.fd); err != nil {
		return 0, err
	}
	i := b.free()
	if i < 0 {
		return 0, fmt.Errorf("uring: Register: all %d entries of the table are in use: %w", maxBuffers, syscall.ENOSPC)
	}
	start := r.hook.Now()
	err = sys.UringSetBuffer(r.fd, i, mem)
	r.hook.Call(start, record.Call{Res: sys.Result(0, err), Syscall: record.SysUringRegister, Drv: record.DriverUring})
	if err != nil {
		return 0, fmt.Errorf("io_uring_register of %d bytes: %w", len(mem), err)
	}
	b.mem[i] = mem
	return i, nil
}

// Unregister implements driver.Registrar.
func (r *Ring) Unregister(index int) {
	b := &r.buffers
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	if index < 0 || index >= len(b.mem) || b.mem[index] == nil {
		panic(fmt.Sprintf("uring: Unregister(%d): no memory is registered with this index", index))
	}
	if r.lost() != nil || sys.UringSetBuffer(r.fd, index, nil) != nil {
		// The memory stays pinned, and the entry in use, until Close.
		return
	}
	b.mem[index] = nil
}

// table makes the kernel's table, once. mu is held.
func (b *buffers) table(fd int) error {
	switch {
	case b.closed:
		return errClosed
	case b.mem != nil || b.err != nil:
		return b.err
	}
	if err := sys.UringBufferTable(fd, maxBuffers); err != nil {
		b.err = fmt.Errorf("io_uring_register of a table of buffers: %w", err)
		return b.err
	}
	b.mem = make([][]byte, maxBuffers)
	return nil
}

// free returns a free entry of the table, or -1. mu is held.
func (b *buffers) free() int {
	for i, mem := range b.mem {
		if mem == nil {
			return i
		}
	}
	return -1
}

// release drops the table. Closing the ring would drop it only some time later, and until then the
// memory counts against RLIMIT_MEMLOCK. Nothing may be in flight.
func (b *buffers) release(r *Ring) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = r.closed.Load()
	if b.mem == nil {
		return
	}
	if r.ours() {
		sys.UringDropBuffers(r.fd)
	}
	b.mem = nil
}
