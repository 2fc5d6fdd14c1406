package load

import (
	"encoding/json"
	"math"
	"time"
)

// Side is one of the compared things: an implementation, and its way to perform operations.
type Side struct {
	Name   string `json:"name"` // in tables
	Way    Way    `json:"way"`
	Driver string `json:"driver,omitempty"` // of sluice; "" is its own choice
	Budget int64  `json:"budget,omitempty"` // bytes, for ByCache
	Timed  bool   `json:"timed,omitempty"`  // record Slice.Syscalls; for BySluice and ByPaper
	// Class is the class of BySluice's operations: Foreground, Background, or "" for no class. A
	// flood's operations are then in Background. For the ways of Pebble it is the class of
	// compactions and flushes.
	Class string `json:"class,omitempty"`
}

// Way is the call or program by which a Side performs its operations.
type Way string

// The ways.
const (
	ByOS     Way = "os"        // os.File
	BySluice Way = "sluice"    // sluice.File
	ByPaper  Way = "paper-aio" // io_submit and io_getevents for each operation (2017)

	ByBuffer Way = "sluice-buffer" // direct.File.ReadBuffer
	ByMany   Way = "sluice-many"   // direct.File.ReadMany
	ByReader Way = "sluice-reader" // direct.Reader.Read
	ByNext   Way = "sluice-next"   // direct.Reader.Next
	ByCache  Way = "sluice-cache"  // cache.File.ReadAt over a direct.File

	ByMmap   Way = "mmap"          // a touch of each page of a mapped file (mmap(2))
	ByMapped Way = "sluice-mapped" // ByMmap after mapped.Mapping.Load

	// The next ways are programs. No worker of this package performs them.
	ByFio         Way = "fio"          // fio, as most people run it
	ByTunedFio    Way = "fio-tuned"    // fio with the options that make a request cheapest
	ByCopy        Way = "sluice-cp"    // sluice cp
	ByProgram     Way = "program"      // another program that copies, or a floor
	ByGoBuild     Way = "go-build"     // the program of package builds, made by go build
	BySluiceBuild Way = "sluice-build" // the same program, made by sluice build

	// The ways of Pebble's files, in the program of module bench/pebble.
	ByPebble       Way = "pebble"              // Pebble's own vfs.Default
	ByPebbleBuffer Way = "pebblevfs-buffered"  // integrations/pebblevfs in mode Buffered
	ByPebbleHybrid Way = "pebblevfs-hybrid"    // integrations/pebblevfs in mode Hybrid
	ByPebbleDirect Way = "pebblevfs-direct"    // integrations/pebblevfs in mode Direct
	ByPebbleBuild  Way = "pebble-sluice-build" // vfs.Default in a program made by sluice build
)

// OneGoroutine reports whether one goroutine keeps several operations in flight.
func (w Way) OneGoroutine() bool { return w == ByMany || w == ByReader || w == ByNext || w.Fio() }

// Fio reports whether the way is the program fio.
func (w Way) Fio() bool { return w == ByFio || w == ByTunedFio }

// OSFile is the side that other sides are compared with.
var OSFile = Side{Name: "os.File", Way: ByOS}

// Fio measures the disk as most people would. TunedFio measures the least cost of a request.
var (
	Fio      = Side{Name: "fio", Way: ByFio}
	TunedFio = Side{Name: "fio, tuned", Way: ByTunedFio}
)

// PaperAIO is Linux AIO as the 2017 paper used it.
var PaperAIO = Side{Name: "2017 AIO", Way: ByPaper}

// Sluice returns the side of sluice.File on a driver; "" is sluice's own choice.
func Sluice(driver string) Side {
	s := Side{Name: "sluice", Way: BySluice, Driver: driver}
	if driver != "" {
		s.Name += "/" + driver
	}
	return s
}

// Request is one line to the worker. Exactly one field is set.
type Request struct {
	Setup *Setup    `json:"setup,omitempty"`
	Slice *SliceReq `json:"slice,omitempty"`
}

// Setup is the first request: the file, the side and the load.
type Setup struct {
	Path string `json:"path"`           // the file, or the database's directory (Pebble)
	Logs string `json:"logs,omitempty"` // the prefix of the logs' names; "" is Path
	Side Side   `json:"side"`
	Load Load   `json:"load"`
	// Prepared is set if an earlier worker with this Setup has prepared the page cache, and left it
	// so.
	Prepared bool `json:"prepared,omitempty"`
	// Pace is the result of Pace, for kinds with computation. The parent measures it once, so that
	// all workers do the same.
	Pace int `json:"pace,omitempty"`
	// Sink is the TCP address to which ServeFile sends.
	Sink string `json:"sink,omitempty"`
}

// SliceReq asks for one slice.
type SliceReq struct {
	Lead time.Duration `json:"lead"` // length of the lead-in
	Time time.Duration `json:"time"` // length of the window
	Seed uint64        `json:"seed"` // determines the offsets
}

// Reply answers a Request. With an Error or Unsupported there is no result, and the worker is of no
// more use.
type Reply struct {
	Error string `json:"error,omitempty"`
	// Unsupported is set instead of Error if this machine lacks a feature that the load needs: a
	// driver, O_DIRECT, a page cache that can be dropped.
	Unsupported string          `json:"unsupported,omitempty"`
	Explain     string          `json:"explain,omitempty"` // of sluice, after Setup and slices
	Slice       *Slice          `json:"slice,omitempty"`
	Stats       json.RawMessage `json:"stats,omitempty"` // of sluice, after a slice
}

// Slice is the result of one slice.
type Slice struct {
	Ops     float64       `json:"ops"`     // an operation partly in the window counts in part
	Elapsed time.Duration `json:"elapsed"` // length of the window
	CPU     time.Duration `json:"cpu"`     // user and system time of the process in the window
	Mean    time.Duration `json:"mean"`    // latency of an operation, as its goroutine sees it
	P50     time.Duration `json:"p50"`
	P99     time.Duration `json:"p99"`
	P999    time.Duration `json:"p999,omitempty"` // 0 if not measured
	Max     time.Duration `json:"max"`

	// Resident is the growth of resident memory since before the worker opened the file. Buffers is
	// the peak of the memory that data was read into. Both are in bytes; 0 if unknown.
	Resident int64 `json:"resident,omitempty"`
	Buffers  int64 `json:"buffers,omitempty"`

	// Flood is the bytes a second that Load.Flood read.
	Flood float64 `json:"flood,omitempty"`

	// Computed is the units of computation a second that the goroutines beside a busy kind made,
	// lead-in included.
	Computed float64 `json:"computed,omitempty"`

	// Compaction is the bytes a second that a compaction wrote, for PebbleCompact.
	Compaction float64 `json:"compaction,omitempty"`

	// LateP50 and LateMax say how late a goroutine woke that slept for a millisecond at a time.
	// They are set if Load.Sleeper is.
	LateP50 time.Duration `json:"late_p50,omitempty"`
	LateMax time.Duration `json:"late_max,omitempty"`

	// Syscalls are the system calls of lead-in and window, if Side.Timed is set.
	Syscalls *Syscalls `json:"syscalls,omitempty"`
}

// Rate returns operations a second.
func (s Slice) Rate() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return s.Ops / s.Elapsed.Seconds()
}

// RateIfMeasured is Rate, but NaN if the slice ended before its window opened, as a cold scan may
// at the file's end. A rate of 0 would count as a loss.
func (s Slice) RateIfMeasured() float64 {
	if s.Elapsed <= 0 {
		return math.NaN()
	}
	return s.Rate()
}

// CPUPerOp returns the processor time of an operation.
func (s Slice) CPUPerOp() time.Duration {
	if s.Ops == 0 {
		return 0
	}
	return time.Duration(float64(s.CPU) / s.Ops)
}
