package differential

import (
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// opKind is the kind of an operation in the differential test.
type opKind byte

const (
	opRead opKind = iota
	opReadAt
	opWrite
	opWriteAt
	opWriteString
	opSeek
	opTruncate
	opSync
	opStat
	opReadFrom
	opWriteTo
	opCopy
	opClose
	opOpen
	opKinds
)

var opNames = [opKinds]string{
	"Read", "ReadAt", "Write", "WriteAt", "WriteString", "Seek", "Truncate", "Sync",
	"Stat", "ReadFrom", "WriteTo", "Copy", "Close", "Open",
}

// op is one operation, decoded from opBytes bytes, so that a fuzzer can make and change it.
type op struct {
	kind   opKind
	handle byte
	file   byte
	shape  byte // alignment and details; see the methods
	size   uint16
	off    uint16
	fill   byte
	whole  bool // the length is in pages, whatever the shape
}

const opBytes = 9

// decode reads the next operation of a stream.
func decode(b []byte) (op, []byte, bool) {
	if len(b) < opBytes {
		return op{}, nil, false
	}
	o := op{
		kind: opKind(b[0] % byte(opKinds)), handle: b[1], file: b[2], shape: b[3],
		size: uint16(b[4]) | uint16(b[5])<<8, off: uint16(b[6]) | uint16(b[7])<<8, fill: b[8],
	}
	return o, b[opBytes:], true
}

// aligned reports whether offset and length are whole pages, as O_DIRECT wants.
func (o op) aligned() bool { return o.shape&3 != 0 }

// length returns the number of bytes to read or write.
func (o op) length() int {
	n := int(o.size) % (bufSize / 2)
	if o.aligned() || o.whole {
		return n / testenv.PageSize * testenv.PageSize
	}
	return n
}

// start returns their index in the buffer.
func (o op) start() int {
	if o.aligned() {
		return 0
	}
	return int(o.fill) * 16
}

// offset returns their offset in the file. It is sometimes negative.
func (o op) offset() int64 {
	off := int64(o.off)
	if o.aligned() {
		return off / testenv.PageSize * testenv.PageSize
	}
	if o.shape&4 != 0 {
		return off % 600
	}
	return off - 500
}

// back returns the number that Seek subtracts, so that it also moves backwards.
func (o op) back() int64 {
	if o.shape&8 != 0 {
		return 1 << 15 // 32 KiB: whole pages
	}
	return 0
}

func (o op) whence() int { return int(o.shape >> 4 % 5) }

// flag returns the flag for opening a file. Every byte is some combination.
func (o op) flag() int {
	flag := []int{os.O_RDWR, os.O_RDWR, os.O_RDONLY, os.O_WRONLY}[o.size&3]
	for bit, f := range []int{os.O_CREATE, os.O_TRUNC, os.O_APPEND, os.O_EXCL, os.O_SYNC, sys.O_DIRECT} {
		if o.size>>(2+2*bit)&3 == 0 {
			flag |= f
		}
	}
	return flag
}

func (o op) String() string {
	switch o.kind {
	case opOpen:
		return fmt.Sprintf("handle %d: Open file%d, %#x", o.handle%3, o.file%worldFiles, o.flag())
	case opCopy:
		return fmt.Sprintf("handle %d: Copy %d from handle %d", o.handle%3, o.length(), o.file%3)
	case opSeek:
		return fmt.Sprintf("handle %d: Seek %d, %d", o.handle%3, o.offset()-o.back(), o.whence())
	}
	return fmt.Sprintf("handle %d: %s length %d offset %d", o.handle%3, opNames[o.kind], o.length(), o.offset())
}
