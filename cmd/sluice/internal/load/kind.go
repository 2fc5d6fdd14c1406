package load

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind names what is done to the file.
type Kind string

// The kinds of the benchmark matrix.
const (
	ReadCached    Kind = "read-cached"    // ReadAt of what is in the page cache
	ReadCold      Kind = "read-cold"      // ReadAt of blocks not read since the page cache was dropped
	ReadDirect    Kind = "read-direct"    // ReadAt of a file opened with O_DIRECT
	WriteBuffered Kind = "write-buffered" // WriteAt over existing bytes, through the page cache
	WriteDirect   Kind = "write-direct"   // WriteAt over existing bytes, O_DIRECT
	WriteSync     Kind = "write-sync"     // WriteAt through the page cache, then Sync
)

// Kinds are all kinds in the order in which they are shown.
var Kinds = []Kind{ReadCached, ReadCold, ReadDirect, WriteBuffered, WriteDirect, WriteSync}

// Direct reports whether the file is opened with O_DIRECT.
func (k Kind) Direct() bool { return k == ReadDirect || k == WriteDirect }

// Write reports whether the kind changes the file.
func (k Kind) Write() bool { return strings.HasPrefix(string(k), "write-") }

// hot reports whether the kind works on a span that stays in the page cache.
func (k Kind) hot() bool { return !k.Direct() && k != ReadCold }

// Valid reports whether k is one of Kinds.
func (k Kind) Valid() bool {
	for _, kind := range Kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// The part of the file that kinds working in the page cache use: small enough
// to stay there on any machine with a gigabyte of memory, and large enough
// that it does not fit a processor's cache.
const (
	hotReadSpan  = 256 << 20 // 256 MiB
	hotWriteSpan = 64 << 20  // 64 MiB: it is synced after every slice
)

// Load says what the goroutines of a worker do.
type Load struct {
	Kind       Kind `json:"kind"`
	Size       int  `json:"size"`       // bytes an operation; offsets are multiples of it
	Goroutines int  `json:"goroutines"` // each has one operation in progress
}

// String returns the load as a cell's name: kind/size/goroutines.
func (l Load) String() string {
	return fmt.Sprintf("%s/%s/%d", l.Kind, SizeName(l.Size), l.Goroutines)
}

// Span returns how many bytes of a file of fileSize bytes the load touches,
// from offset 0.
func (l Load) Span(fileSize int64) int64 {
	switch {
	case !l.Kind.hot():
		return fileSize
	case l.Kind.Write():
		return min(fileSize, hotWriteSpan)
	}
	return min(fileSize, hotReadSpan)
}

// blocks returns how many operations of the load's size fit in the span.
func (l Load) blocks(fileSize int64) int64 { return l.Span(fileSize) / int64(l.Size) }

func (l Load) check(fileSize int64) error {
	switch {
	case !l.Kind.Valid():
		return fmt.Errorf("unknown kind of load %q", l.Kind)
	case l.Kind.Direct() && l.Size%bufferAlign != 0:
		return fmt.Errorf("size of a direct operation is %d bytes; want a multiple of %d", l.Size, bufferAlign)
	case l.Size <= 0:
		return fmt.Errorf("size of an operation is %d bytes; want more than 0", l.Size)
	case l.Goroutines <= 0:
		return fmt.Errorf("%d goroutines; want at least 1", l.Goroutines)
	case l.blocks(fileSize) == 0:
		return fmt.Errorf("file of %d bytes is smaller than one operation of %d", fileSize, l.Size)
	}
	return nil
}

// SizeName returns n as cells spell it: 4k, 64k, 1m; other sizes in bytes.
func SizeName(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "m"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "k"
	}
	return strconv.Itoa(n)
}
