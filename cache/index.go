package cache

import "sync/atomic"

// The index of a shard has a chain of frames for each hash, and a list of frames for each file. A
// link is the number of a frame plus 1; 0 is the end. All links are written under shard.mu. Chains
// are read without it, too.

func (s *shard) chain(k key) *atomic.Int32 { return &s.chains[k.hash&uint64(len(s.chains)-1)] }

// find returns the frame of a block, or -1.
func (s *shard) find(k key) int32 {
	i := s.chain(k).Load() - 1
	for i >= 0 && !s.frames[i].holds(k.file, k.block) {
		i = s.frames[i].next.Load() - 1
	}
	return i
}

// link adds frame i to the index, as block k.
func (s *shard) link(i int32, k key) {
	fr := &s.frames[i]
	fr.file.Store(k.file)
	fr.block.Store(k.block)
	head := s.chain(k)
	fr.next.Store(head.Load())
	head.Store(i + 1)

	first := s.files[k.file]
	fr.prevOfFile, fr.nextOfFile = 0, first
	if first != 0 {
		s.frames[first-1].prevOfFile = i + 1
	}
	s.files[k.file] = i + 1
}

// unlink removes frame i from the index.
func (s *shard) unlink(i int32) {
	fr := &s.frames[i]
	file := fr.file.Load()
	at := s.chain(keyOf(file, fr.block.Load()))
	for at.Load() != i+1 {
		at = &s.frames[at.Load()-1].next
	}
	at.Store(fr.next.Load())

	switch {
	case fr.prevOfFile != 0:
		s.frames[fr.prevOfFile-1].nextOfFile = fr.nextOfFile
	case fr.nextOfFile != 0:
		s.files[file] = fr.nextOfFile
	default:
		delete(s.files, file)
	}
	if fr.nextOfFile != 0 {
		s.frames[fr.nextOfFile-1].prevOfFile = fr.prevOfFile
	}
	fr.file.Store(0)
}
