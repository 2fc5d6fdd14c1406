package lifetime

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"unsafe"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

// The values of poisoned bytes: around a buffer, in a buffer before a read, and in returned memory.
const (
	canary = 0xa5
	fresh  = 0x5a
	poison = 0xdb
)

// memory is a buffer of a call, with canaries on both sides.
type memory struct {
	all []byte
	b   []byte // a part of all
}

// newMemory returns memory for n bytes, which start at a page if aligned.
func newMemory(r *rand.Rand, n int, aligned bool) memory {
	at := testenv.PageSize
	if !aligned {
		at = 1 + r.IntN(testenv.PageSize)
	}
	all := testenv.AlignedBytes(at + n + 64)
	if !aligned && r.IntN(2) == 0 {
		all = make([]byte, at+n+64) // without the room for a page's start
	}
	m := memory{all: all, b: all[at : at+n : at+n]}
	fill(all, canary)
	fill(m.b, fresh)
	return m
}

func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

// surrounded reports whether the canaries are unchanged.
func (m memory) surrounded() bool {
	at := int(uintptr(unsafe.Pointer(&m.b[0])) - uintptr(unsafe.Pointer(&m.all[0])))
	before, after := m.all[:at], m.all[at+len(m.b):]
	return bytes.Count(before, []byte{canary}) == len(before) && bytes.Count(after, []byte{canary}) == len(after)
}

// quarantine keeps the memory of calls that have returned.
type quarantine struct {
	kept [64]memory
	next int
}

// add poisons m and keeps it. It returns false if the memory that it releases for m has changed.
func (q *quarantine) add(m memory) (ok bool) {
	fill(m.all, poison)
	old := q.kept[q.next]
	q.kept[q.next] = m
	q.next = (q.next + 1) % len(q.kept)
	return old.unchanged()
}

// drain returns false if any memory has changed.
func (q *quarantine) drain() (ok bool) {
	ok = true
	for _, m := range q.kept {
		ok = ok && m.unchanged()
	}
	*q = quarantine{}
	return ok
}

func (m memory) unchanged() bool { return bytes.Count(m.all, []byte{poison}) == len(m.all) }

// patterns has the bytes of each file. Each four bytes encode their file and place.
var patterns = func() (all [files + strangers][]byte) {
	for i := range all {
		for at := range uint32(fileSize / 4) {
			all[i] = binary.LittleEndian.AppendUint32(all[i], (uint32(i+1)<<20^at)*2654435761)
		}
	}
	return all
}()

// wrong returns the first index at which b differs from the file at off, or -1.
func wrong(b []byte, file int, off int64) int {
	want := patterns[file][off:]
	if len(b) <= len(want) && bytes.Equal(b, want[:len(b)]) {
		return -1
	}
	for i := range b {
		if i >= len(want) || b[i] != want[i] {
			return i
		}
	}
	return -1
}
