package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind names an operation on the file.
type Kind string

// The kinds of the matrix.
const (
	ReadCached    Kind = "read-cached"    // ReadAt of blocks in the page cache
	ReadCold      Kind = "read-cold"      // ReadAt of blocks not read since the cache was dropped
	ReadDirect    Kind = "read-direct"    // ReadAt of a file opened with O_DIRECT
	WriteBuffered Kind = "write-buffered" // WriteAt over existing bytes, through the page cache
	WriteDirect   Kind = "write-direct"   // WriteAt over existing bytes, O_DIRECT
	WriteSync     Kind = "write-sync"     // WriteAt through the page cache, then Sync
)

// Reads followed by computation, as in real programs: so many microseconds, which count as part of
// the operation. A checksum of 4 KiB takes 2, and to decompress them 10 to 50.
const (
	ReadCold2us    Kind = "read-cold+2us"
	ReadCold6us    Kind = "read-cold+6us"
	ReadCold50us   Kind = "read-cold+50us"
	ReadDirect2us  Kind = "read-direct+2us"
	ReadDirect6us  Kind = "read-direct+6us"
	ReadDirect50us Kind = "read-direct+50us"
)

// ReadBuffer is ReadDirect, but sluice's side calls ReadBuffer of a direct.File: the Scheduler's
// memory is on huge pages, and registered with rings.
const ReadBuffer Kind = "read-buffer"

// WriteDirectHot is WriteDirect of cached blocks, as after a copy. A write evicts its block from
// the page cache, so each block is written at most once in a slice.
const WriteDirectHot Kind = "write-direct+hot"

// Operations beside goroutines that only compute (busy): four for two processors, and so on.
const (
	ReadColdBusy    Kind = "read-cold+busy"
	ReadDirectBusy  Kind = "read-direct+busy"
	WriteDirectBusy Kind = "write-direct+busy"
	WriteSyncBusy   Kind = "write-sync+busy"
)

// The kinds of the matrix in which each goroutine has its own file.
const (
	SyncOwn   Kind = "sync-own"   // WriteAt over existing bytes, then Sync
	WriteLogs Kind = "write-logs" // WriteAppend with one log for each goroutine
	// ServeFile is io.Copy of a cached file of the load's size to a TCP connection of another
	// process on this machine.
	ServeFile Kind = "serve"
)

// Start is a program that opens a file, reads its first bytes and ends. An operation is one run of
// it. The programs of package builds perform it, not workers.
const Start Kind = "start"

// The kinds of other experiments.
const (
	ScanCold   Kind = "scan-cold"   // sequential reads to the file's end, cold page cache
	ScanDirect Kind = "scan-direct" // sequential O_DIRECT reads, over and over
	ReadHot    Kind = "read-hot"    // ReadAt of cached blocks in a span for a small cache
	ReadSkewed Kind = "read-skewed" // O_DIRECT, n-th most popular block at 1/n^0.99
	// WriteAppend is a write-ahead log: all goroutines Write to the end of one new file, and Sync
	// after each Write. The log is emptied before each slice.
	WriteAppend Kind = "write-append"
	// ReadTmpfs is ReadDirect of a file on tmpfs, a device that never waits. Setup.Path must be on
	// tmpfs.
	ReadTmpfs Kind = "read-tmpfs"
)

// The kinds of copies of trees. An operation is the copy of one file. Programs perform them, not
// workers.
const (
	CopyHot  Kind = "copy-hot"  // files in memory, the copy in memory
	CopyCold Kind = "copy-cold" // files not in memory; ends when the copy is on disk
)

// The kinds of jobs that are half reads and half writes. fio performs them.
const (
	MixedRandom     Kind = "mixed-random"
	MixedSequential Kind = "mixed-sequential"
)

// The kinds that only the program of package builds performs.
const (
	ReadStack  Kind = "read-stack"  // ReadAt of cached blocks, each into a new 4 KiB of stack
	ScanCached Kind = "scan-cached" // sequential Reads of cached blocks, over and over
	ReadFiles  Kind = "read-files"  // ReadFile of one of 256 files of the load's size
	HashFile   Kind = "hash-file"   // SHA-256 of the first bytes of the file, by io.Copy
	ZipFiles   Kind = "zip-files"   // a zip of 256 files of the load's size
)

// The kinds that only the program of module bench/pebble performs, on a database of records.
const (
	PebbleLoad    Kind = "pebble-load"           // makes the whole database in one slice
	PebbleGet     Kind = "pebble-get"            // Get of a record at random
	PebbleSync    Kind = "pebble-sync"           // commits one record with Sync to a new database
	PebbleCompact Kind = "pebble-get+compaction" // PebbleGet beside a compaction at Load.Pace
	PebbleScan    Kind = "pebble-scan"           // records in order, together of the load's size
)

// Pebble reports whether the kind works on a database.
func (k Kind) Pebble() bool { return strings.HasPrefix(string(k), "pebble-") }

// Kinds are the kinds of the matrix that workers perform, in the order of its table.
var Kinds = []Kind{
	ReadCached, ReadCold, ReadCold2us, ReadCold6us, ReadCold50us, ReadColdBusy,
	ReadDirect, ReadDirect2us, ReadDirect6us, ReadDirect50us, ReadDirectBusy, ReadBuffer,
	WriteBuffered, WriteDirect, WriteDirectHot, WriteDirectBusy, WriteSync, WriteSyncBusy, SyncOwn, WriteLogs, ServeFile,
}

var otherKinds = []Kind{
	Start, ScanCold, ScanDirect, ReadHot, ReadSkewed, WriteAppend, ReadTmpfs, CopyHot, CopyCold, MixedRandom, MixedSequential,
	ReadStack, ScanCached, ReadFiles, HashFile, ZipFiles,
	PebbleLoad, PebbleGet, PebbleSync, PebbleCompact, PebbleScan,
}

// bare returns the kind without the computation after or beside its operations.
func (k Kind) bare() Kind {
	bare, _, _ := strings.Cut(string(k), "+")
	return Kind(bare)
}

// Work returns the microseconds of computation after each operation.
func (k Kind) Work() int {
	_, work, _ := strings.Cut(string(k), "+")
	n, _ := strconv.Atoi(strings.TrimSuffix(work, "us"))
	return n
}

// Busy reports whether other goroutines compute beside the operations.
func (k Kind) Busy() bool { return strings.HasSuffix(string(k), "+busy") }

// Direct reports whether the file is opened with O_DIRECT.
func (k Kind) Direct() bool {
	k = k.bare()
	return k == ReadDirect || k == ReadBuffer || k == WriteDirect || k == ScanDirect || k == ReadSkewed || k == ReadTmpfs
}

// Cold reports whether the page cache is dropped before each slice, and each block is read at
// most once in a slice.
func (k Kind) Cold() bool { return k.bare() == ReadCold || k == ScanCold }

// Scan reports whether the file is read sequentially.
func (k Kind) Scan() bool { return k == ScanCold || k == ScanDirect }

// Write reports whether the kind changes the file.
func (k Kind) Write() bool { return k == SyncOwn || strings.HasPrefix(string(k), "write-") }

// OwnFiles reports whether the worker makes the files that it works on, instead of using the file
// under test.
func (k Kind) OwnFiles() bool {
	return k == WriteAppend || k == WriteLogs || k == SyncOwn || k == ServeFile
}

// hot reports whether the kind works on a span that stays in the page cache.
func (k Kind) hot() bool { return !k.Direct() && !k.Cold() }

// Valid reports whether k is a kind.
func (k Kind) Valid() bool { return slices.Contains(Kinds, k) || slices.Contains(otherKinds, k) }

// The spans of kinds that work in the page cache. They stay cached on a machine with 1 GiB of
// memory, and are too large for a processor's cache.
const (
	hotReadSpan  = 256 << 20 // 256 MiB
	hotWriteSpan = 64 << 20  // 64 MiB: smaller, because it is synced after every slice
)

// Load is the work of a worker: the operations of its goroutines on the file.
type Load struct {
	Kind Kind `json:"kind"`
	Size int  `json:"size"` // bytes an operation; offsets are multiples of it
	// Goroutines is the number of goroutines, each with one operation in flight. A way that keeps
	// several operations in flight from one goroutine (Way.OneGoroutine) keeps this many.
	Goroutines int `json:"goroutines"`
	// Procs is GOMAXPROCS of the process; 0 keeps the process's own.
	Procs int `json:"procs,omitempty"`
	// Within limits the load to the first bytes of the file; 0 leaves it to the kind.
	Within int64 `json:"within,omitempty"`
	// Flood is the number of goroutines that read FloodSize bytes at random offsets during the
	// load. Only Slice.Flood counts their reads.
	Flood int `json:"flood,omitempty"`
	// Sleeper adds a goroutine that does no I/O. It sleeps for a millisecond at a time, and
	// measures how late it wakes (Slice.LateP50).
	Sleeper bool `json:"sleeper,omitempty"`

	// Records, Cache and Pace are for the kinds of Pebble. Records is the number of records in the
	// database. Cache is the size of its block cache in bytes. Pace is the most bytes a second that
	// compactions write; 0 means no limit.
	Records int   `json:"records,omitempty"`
	Cache   int64 `json:"cache,omitempty"`
	Pace    int64 `json:"pace,omitempty"`
}

// FloodSize is the size of a flood's read, in bytes.
const FloodSize = 1 << 20 // 1 MiB

// String returns the name of the load's cell: kind/size/goroutines, and /p4 if Procs is 4.
func (l Load) String() string {
	name := fmt.Sprintf("%s/%s/%d", l.Kind, SizeName(l.Size), l.Goroutines)
	if l.Procs > 0 {
		name += fmt.Sprintf("/p%d", l.Procs)
	}
	return name
}

// Span returns the number of bytes that the load uses in a file of fileSize bytes, from offset 0.
func (l Load) Span(fileSize int64) int64 {
	switch {
	case l.Within > 0:
		return min(fileSize, l.Within)
	case !l.Kind.hot() && l.Kind != WriteDirectHot:
		return fileSize
	case l.Kind.Write():
		return min(fileSize, hotWriteSpan)
	}
	return min(fileSize, hotReadSpan)
}

// blocks returns the number of the load's operations in the span.
func (l Load) blocks(fileSize int64) int64 { return l.Span(fileSize) / int64(l.Size) }

// burst returns the number of operations between two readings of the clock. Reading it costs
// about as much as an operation in memory, so scans and ReadHot read it once every 64 KiB.
func (l Load) burst() int {
	if l.Kind.Scan() || l.Kind == ReadHot {
		return max(1, 64<<10/l.Size)
	}
	return 1
}

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
	case l.Procs < 0:
		return fmt.Errorf("GOMAXPROCS is %d; want at least 1, or 0 for the process's own", l.Procs)
	case l.Flood < 0 || l.Flood > 0 && fileSize < FloodSize:
		return fmt.Errorf("a flood of %d goroutines on a file of %d bytes; want 0 or more, and %d bytes at least", l.Flood, fileSize, FloodSize)
	case l.blocks(fileSize) == 0:
		return fmt.Errorf("file of %d bytes is smaller than one operation of %d", fileSize, l.Size)
	}
	return nil
}

// SizeName returns n as in cells' names: 4k, 64k, 1m; other sizes in bytes.
func SizeName(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "m"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "k"
	}
	return strconv.Itoa(n)
}
