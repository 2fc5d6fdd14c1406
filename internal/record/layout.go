package record

import "sync/atomic"

// area is the memory of a Recorder, all of it of types without pointers: it
// may be a file's (Create), in which case the file is these four parts one
// after the other.
type area struct {
	head    *header
	names   []byte
	stripes []stripe
	chunks  []chunk
}

// pageSize is what the parts of a file are multiples of.
const pageSize = 4096

const (
	magic   = "sluicerw" // a recording as it is in memory
	version = 3
	// order is found as another number where bytes are in another order.
	order = 0x01020304
)

// header is the first page.
type header struct {
	magic   [8]byte
	order   uint32
	version uint32
	stripes uint32 // how many; a power of two
	chunks  uint32 // how many; a power of two
	names   uint32 // bytes
	keep    uint32 // 1: what is full stays as it is
	origin  int64  // when the times of the records were 0, in Unix time
	began   int64  // when the recording was made, as the records count it
	drivers atomic.Uint32
	used    atomic.Uint32 // bytes of names that are written
	there   atomic.Uint32 // chunks that can be used; beyond them a file may have ended
	_       [128 - 60]byte
	// next is the turn of the chunk that was given out last, alone in its
	// cache lines: all cores write it.
	next      atomic.Uint64
	_         [128 - 8]byte
	aboutSize uint32
	about     [pageSize - 256 - 4]byte // what the recording is of: the caller's to encode
}

// perChunk is how many records fill a page beside its header.
const perChunk = 63

// chunk is a page of records.
type chunk struct {
	// turn tells whose the chunk is: that of the stripe which has been given
	// that turn. Chunk i has the turns i, i+chunks, i+2·chunks …, and never a
	// smaller one than before; 0 is none.
	turn   atomic.Uint64
	_      [64 - 8]byte
	events [perChunk]event
}

// event is a record, a cache line. Word says what is there:
//
//	bits 63–1  the turn in which the record was made; 0 if there is none
//	bit 0      somebody is writing, or reading, the rest
type event struct {
	word      atomic.Uint64
	queued    int64 // since process start; the start of a call
	off       int64 // of a call: batch in the upper half, wait in the lower
	size      uint32
	res       int32
	file      uint32
	goroutine uint32
	// Times that passed since the one before: submitted, completed, woken. 48
	// bits each, which is three days. A call has its length in the first.
	low   [3]uint32
	high  [3]uint16
	batch uint16
	kind  uint8 // of a call: callKind + the system call's number
	path  uint8 // and above it the class: see classBits
	ring  uint8 // the Hook's
	drv   uint8
}

const callKind = 128

// An event's path has the lowest bits of a byte, and its class these, above them.
const (
	classBits = 6
	pathBits  = 8 - classBits
	pathMask  = 1<<pathBits - 1
)

// stripe is where some goroutines take places. Two cache lines, as adjacent
// ones are fetched in pairs.
type stripe struct {
	// pos is the next place:
	//
	//	bits 63–24  the turn of the stripe's chunk
	//	bits 23–0   how many places of it were asked for: 63 were to be had
	pos atomic.Uint64
	// left counts the places that were given out in earlier turns. Written
	// under the stripe's lock, but for who finds the chunk taken away.
	left atomic.Int64
	// refused counts records for which there was no place.
	refused atomic.Int64
	_       [128 - 24]byte
}

// stripeSize is the size of a stripe, of which a power of two, 32 or more, is
// whole pages.
const stripeSize = 128

const (
	posBits = 24
	posMask = 1<<posBits - 1
)
