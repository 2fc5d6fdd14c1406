package record

import "sync/atomic"

// area is the memory of a Recorder. Its types have no pointers, so that it can be the mapping of a
// file (Create). The file has these four parts, one after the other.
type area struct {
	head    *header
	names   []byte
	stripes []stripe
	chunks  []chunk
}

// pageSize divides the size of each part.
const pageSize = 4096

const (
	magic   = "sluicerw" // the beginning of the file
	version = 4
	// oldest is the oldest version that Read accepts. Version 3 has no labels.
	oldest = 3
	// order reads as another number on a machine with another byte order.
	order = 0x01020304
)

// header is the first page.
type header struct {
	magic   [8]byte
	order   uint32
	version uint32
	stripes uint32 // number of stripes; a power of two
	chunks  uint32 // number of chunks; a power of two
	names   uint32 // bytes for names
	keep    uint32 // 1 if full chunks are not overwritten
	origin  int64  // Unix time, in nanoseconds, from which the records' times count
	began   int64  // when the recording was made, as a record's time
	drivers atomic.Uint32
	used    atomic.Uint32 // bytes of names that are written
	ready   atomic.Uint32 // number of chunks that exist; a file may end after them
	_       [4]byte
	// labelsEnd is the time from which on there was no room for labels; 0 if there was.
	labelsEnd atomic.Int64
	_         [128 - 72]byte
	// next is the last turn that was given to a chunk. It has separate cache lines, because all
	// cores write it.
	next      atomic.Uint64
	_         [128 - 8]byte
	aboutSize uint32
	about     [pageSize - 256 - 4]byte // a description of the recording, encoded by the caller
}

// perChunk is the number of records that fit into a page with a chunk's header.
const perChunk = 63

// chunk is a page of records.
type chunk struct {
	// turn says which stripe uses the chunk: the one with this turn. Chunk i has the turns i,
	// i+chunks, i+2·chunks and so on, which only increase. 0 means never used.
	turn   atomic.Uint64
	_      [64 - 8]byte
	events [perChunk]event
}

// event is a record; it fills a cache line. word describes its contents:
//
//	bits 63–1  the turn in which the record was made; 0 if there is none
//	bit 0      a goroutine is writing or reading the other fields
type event struct {
	word      atomic.Uint64
	queued    int64 // since the process started; for a call its start
	off       int64 // for a call: batch in the upper half, wait in the lower
	size      uint32
	res       int32
	file      uint32
	goroutine uint32
	// The times from queued to submitted, to completed and to woken, each as a difference of 48
	// bits, up to three days. A call has its duration in the first.
	low   [3]uint32
	high  [3]uint16
	batch uint16
	kind  uint8 // for a call: callKind plus the system call's number
	path  uint8 // the class is in its upper bits: see classBits
	ring  uint8 // the number of the Hook
	drv   uint8
}

const callKind = 128

// The path of an event is in the lower bits of a byte, and its class in the upper ones.
const (
	classBits = 6
	pathBits  = 8 - classBits
	pathMask  = 1<<pathBits - 1
)

// stripe gives places to a part of the goroutines. It has two cache lines, as processors fetch
// adjacent ones in pairs.
type stripe struct {
	// pos is the next place:
	//
	//	bits 63–24  the turn of the stripe's chunk
	//	bits 23–0   the number of places taken in this turn; only the first 63 exist
	pos atomic.Uint64
	// earlier is the number of places used in earlier turns. It changes under the stripe's lock,
	// and by goroutines whose chunk was taken away.
	earlier atomic.Int64
	// lost is the number of records that got no place.
	lost atomic.Int64
	_    [128 - 24]byte
}

// stripeSize is the size of a stripe. A power of two of at least 32 stripes fills whole pages.
const stripeSize = 128

const (
	posBits = 24
	posMask = 1<<posBits - 1
)
