package record

import (
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"
)

// files numbers the names of files, from 1, and the names of classes, also from 1. In memory a name
// is its length (2 bytes, little-endian; the highest two bits give its kind: see labels.go) and its
// bytes.
type files struct {
	mu      sync.Mutex
	number  map[string]uint32
	classes map[string]uint32
}

const (
	maxName    = 4096    // longer names are cut off
	classMark  = 1 << 15 // in a length: it is the name of a class
	maxClasses = 1<<classBits - 1
	// others is the name of all classes without a number. It has the last number.
	others = "others"
)

// FileRef is a file's number in the Recorder that has recorded it last. The zero value is ready to
// use.
//
//	bits 63–32  the Recorder's serial
//	bits 31–0   the number; 0 if there was no room for the name
type FileRef struct{ atomic.Uint64 }

// ClassRef is a class's name, and its number as in FileRef. A nil ClassRef is the default class,
// whose number is 0.
type ClassRef struct {
	Name string
	ref  FileRef
}

// Class returns the number of a class. Once maxClasses-1 names have numbers, all other classes have
// the number of others. The number is 0 if there is no room for the name.
func (r *Recorder) Class(c *ClassRef) uint8 {
	if c == nil {
		return 0
	}
	if v := c.ref.Load(); uint32(v>>32) == r.serial {
		return uint8(v)
	}
	f := &r.files
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.classes == nil {
		f.classes = make(map[string]uint32)
	}
	n := r.numberOf(f.classes, maxClasses-1, classMark, c.Name)
	if n == 0 && c.Name != "" && len(f.classes) >= maxClasses-1 {
		n = r.numberOf(f.classes, maxClasses, classMark, others)
	}
	c.ref.Store(uint64(r.serial)<<32 | uint64(n))
	return uint8(n)
}

// File returns the number of a file. After the first call for a ref it only loads the number.
func (r *Recorder) File(ref *FileRef, name string) uint32 {
	if v := ref.Load(); uint32(v>>32) == r.serial {
		return uint32(v)
	}
	n := r.fileNumber(name)
	ref.Store(uint64(r.serial)<<32 | uint64(n))
	return n
}

// fileNumber returns the number of a name, which may be new. It returns 0 if there is no room.
func (r *Recorder) fileNumber(name string) uint32 {
	f := &r.files
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.number == nil {
		f.number = make(map[string]uint32)
	}
	return r.numberOf(f.number, math.MaxInt32, 0, name)
}

// numberOf returns the number of a name in to, which has at most most names. A new name gets the
// next number if there is room, else 0. files.mu is held.
func (r *Recorder) numberOf(to map[string]uint32, most int, mark uint16, name string) uint32 {
	if len(name) > maxName {
		name = name[:maxName]
	}
	if n, ok := to[name]; ok || name == "" {
		return n
	}
	if len(to) >= most || !r.putName(mark, name) {
		return 0
	}
	n := uint32(len(to) + 1)
	to[name] = n
	return n
}

// putName adds an entry to the names. It reports whether there was room. files.mu is held.
func (r *Recorder) putName(mark uint16, name string) bool {
	used := int(r.head.used.Load())
	end := used + 2 + len(name)
	if end > len(r.names) || !r.growth.reserveNames(end) {
		return false
	}
	binary.LittleEndian.PutUint16(r.names[used:], uint16(len(name))|mark)
	copy(r.names[used+2:], name)
	r.head.used.Store(uint32(end)) // readers see the name from now on
	return true
}

// list puts the names into the recording, in the order of their numbers.
func (a *area) list(to *Recording) {
	to.Files, to.Classes = []string{""}, []string{"default"}
	b := a.names[:min(int(a.head.used.Load()), len(a.names))]
	for len(b) >= 2 {
		n := int(binary.LittleEndian.Uint16(b))
		mark := n & (classMark | labelMark)
		n &^= mark
		if len(b) < 2+n {
			break // the file is damaged
		}
		name := b[2 : 2+n]
		b = b[2+n:]
		switch mark {
		case 0:
			to.Files = append(to.Files, string(name))
		case classMark:
			to.Classes = append(to.Classes, string(name))
		case labelMark:
			to.Labels = append(to.Labels, string(name))
		case labelledMark:
			if l, ok := labelledOf(name, a.head.began); ok {
				to.Labelled = append(to.Labelled, l)
			}
		}
	}
}
