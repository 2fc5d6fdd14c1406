package record

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// files are the names of files, in the order of their numbers, from 1. In
// memory each is its length, 2 bytes, the lowest first, and so many bytes.
type files struct {
	mu     sync.Mutex
	number map[string]uint32
}

// longestName is how much of a name is kept.
const longestName = 4096

// FileRef is a file's number in the Recorder that it was last recorded by. Its
// zero value is ready.
//
//	bits 63–32  the Recorder's serial
//	bits 31–0   the number; 0 if there was no room for the name
type FileRef struct{ atomic.Uint64 }

// File returns the number of a file. Only the first call for a ref does more
// than look at it.
func (r *Recorder) File(ref *FileRef, name string) uint32 {
	if v := ref.Load(); uint32(v>>32) == r.serial {
		return uint32(v)
	}
	n := r.fileNumber(name)
	ref.Store(uint64(r.serial)<<32 | uint64(n))
	return n
}

// fileNumber returns a name's number, a new one if need be. 0 stands for all
// those for which there is no room.
func (r *Recorder) fileNumber(name string) uint32 {
	if len(name) > longestName {
		name = name[:longestName]
	}
	f := &r.files
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, ok := f.number[name]; ok || name == "" {
		return n
	}
	used := int(r.head.used.Load())
	if used+2+len(name) > len(r.names) {
		return 0
	}
	binary.LittleEndian.PutUint16(r.names[used:], uint16(len(name)))
	copy(r.names[used+2:], name)
	r.head.used.Store(uint32(used + 2 + len(name))) // now it is there to be read
	if f.number == nil {
		f.number = make(map[string]uint32)
	}
	n := uint32(len(f.number) + 1)
	f.number[name] = n
	return n
}

// list returns the names by their numbers.
func (a *area) list() []string {
	names := []string{""}
	b := a.names[:min(int(a.head.used.Load()), len(a.names))]
	for len(b) >= 2 {
		n := int(binary.LittleEndian.Uint16(b))
		if len(b) < 2+n {
			break // of a damaged file
		}
		names = append(names, string(b[2:2+n]))
		b = b[2+n:]
	}
	return names
}
