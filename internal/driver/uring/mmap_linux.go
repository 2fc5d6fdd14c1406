//go:build amd64 || arm64

package uring

import (
	"syscall"
	"unsafe"

	"github.com/sluiceio/sluice/internal/sys"
)

// mmap maps SQ and CQ, which share a mapping since 5.4, and the SQEs.
func (r *Ring) mmap(p *sys.UringParams) (err error) {
	const prot, flags = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_SHARED | syscall.MAP_POPULATE
	size := max(p.SQOff.Array+p.SQEntries*4, p.CQOff.CQEs+p.CQEntries*uint32(unsafe.Sizeof(sys.CQE{})))
	if r.mem, err = syscall.Mmap(r.fd, sys.IORING_OFF_SQ_RING, int(size), prot, flags); err != nil {
		return err
	}
	size = p.SQEntries * uint32(unsafe.Sizeof(sys.SQE{}))
	if r.sqemem, err = syscall.Mmap(r.fd, sys.IORING_OFF_SQES, int(size), prot, flags); err != nil {
		return err
	}
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.mem[off])) }
	r.sqHead, r.sqTail, r.sqMask = word(p.SQOff.Head), word(p.SQOff.Tail), *word(p.SQOff.RingMask)
	r.cqHead, r.cqTail, r.cqMask = word(p.CQOff.Head), word(p.CQOff.Tail), *word(p.CQOff.RingMask)
	r.sqes = unsafe.Slice((*sys.SQE)(unsafe.Pointer(&r.sqemem[0])), p.SQEntries)
	r.cqes = unsafe.Slice((*sys.CQE)(unsafe.Pointer(&r.mem[p.CQOff.CQEs])), p.CQEntries)
	// Entry i of the SQ's index array is always SQE i.
	for i, a := 0, unsafe.Slice(word(p.SQOff.Array), p.SQEntries); i < len(a); i++ {
		a[i] = uint32(i)
	}
	return nil
}

// release unmaps the ring and closes its descriptor. Nothing may be in flight: the
// kernel would go on with it, and write into its buffers.
func (r *Ring) release() error {
	r.buffers.release(r)
	if r.sqemem != nil {
		syscall.Munmap(r.sqemem)
	}
	if r.mem != nil {
		syscall.Munmap(r.mem)
	}
	r.mem, r.sqemem = nil, nil
	return descriptors.close(r)
}
