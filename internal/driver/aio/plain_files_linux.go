//go:build amd64 || arm64

package aio

import "sync/atomic"

// plainFiles remembers files whose reads do better without RWF_NOWAIT: block devices, and files
// that do not support it. It is a hint. An entry lasts for a number of reads, as the descriptor may
// belong to another file by then. Descriptors that share an entry overwrite each other.
//
// The submitter calls use; the submitter and Reap call note.
//
//	bits 63–32  the descriptor
//	bits 31–0   the number of reads left; 0 in an empty entry
type plainFiles [128]atomic.Uint64

// plainReads is the number of reads that an entry lasts.
const plainReads = 4096

func (p *plainFiles) at(fd int32) *atomic.Uint64 { return &p[uint32(fd)%uint32(len(p))] }

// note remembers fd.
func (p *plainFiles) note(fd int32) { p.at(fd).Store(uint64(uint32(fd))<<32 | plainReads) }

// use reports whether fd is remembered, and counts a read of it.
func (p *plainFiles) use(fd int32) bool {
	e := p.at(fd)
	v := e.Load()
	if v>>32 != uint64(uint32(fd)) || uint32(v) == 0 {
		return false
	}
	// If a note at the same time is lost, a later read notes it again.
	e.Store(v - 1)
	return true
}
