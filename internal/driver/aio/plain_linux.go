//go:build amd64 || arm64

package aio

import "sync/atomic"

// plain remembers files that are better read without RWF_NOWAIT: block
// devices, and files that do not know it. It is a hint. An entry lasts for a
// number of reads, so that a descriptor that now means another file is soon
// looked at anew; one that shares its place with another is overwritten.
//
// The submitter asks, Reap and the submitter note.
//
//	bits 63–32  the descriptor
//	bits 31–0   how many reads more; 0 in an entry that is empty
type plain [128]atomic.Uint64

// plainReads is how many reads an entry lasts.
const plainReads = 4096

func (p *plain) at(fd int32) *atomic.Uint64 { return &p[uint32(fd)%uint32(len(p))] }

// note remembers fd.
func (p *plain) note(fd int32) { p.at(fd).Store(uint64(uint32(fd))<<32 | plainReads) }

// use reports whether fd is remembered, and counts a read of it.
func (p *plain) use(fd int32) bool {
	e := p.at(fd)
	v := e.Load()
	if v>>32 != uint64(uint32(fd)) || uint32(v) == 0 {
		return false
	}
	// A note that comes in between and is lost is made again.
	e.Store(v - 1)
	return true
}
