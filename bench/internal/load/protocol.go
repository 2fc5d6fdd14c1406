package load

import (
	"encoding/json"
	"math"
	"time"
)

// Side is one of the things that are compared: an implementation, and how it is used.
type Side struct {
	Name   string `json:"name"` // in tables
	Way    Way    `json:"way"`
	Driver string `json:"driver,omitempty"` // sluice's; "" is its own choice
	Budget int64  `json:"budget,omitempty"` // bytes, for ByCache
	Timed  bool   `json:"timed,omitempty"`  // record Slice.Syscalls; for BySluice and ByPaper
	// Class is the class of the operations, Foreground or Background, for BySluice; "" uses no
	// classes. The operations of a flood are then in Background. For the ways of Pebble it is the
	// class of compactions and flushes.
	Class string `json:"class,omitempty"`
}

// Way is the call or program by which a Side performs its operations.
type Way string

// The ways.
const (
	ByOS     Way = "os"        // os.File
	BySluice Way = "sluice"    // sluice.File
	ByPaper  Way = "paper-aio" // io_submit and io_getevents for each operation, as published in 2017

	ByBuffer Way = "sluice-buffer" // direct.File.ReadBuffer
	ByMany   Way = "sluice-many"   // direct.File.ReadMany
	ByReader Way = "sluice-reader" // direct.Reader.Read
	ByNext   Way = "sluice-next"   // direct.Reader.Next
	ByCache  Way = "sluice-cache"  // cache.File.ReadAt over a direct.File

	ByMmap   Way = "mmap"          // a touch of each page of a mapped file (mmap(2))
	ByMapped Way = "sluice-mapped" // the same, after mapped.Mapping.Load

	// The rest are programs. No worker of this package performs them.
	ByFio         Way = "fio"          // fio, as most people run it
	ByTunedFio    Way = "fio-tuned"    // fio with all options that make a request cheap
	ByCopy        Way = "sluice-cp"    // sluice cp
	ByProgram     Way = "program"      // another program that copies, or a floor
	ByGoBuild     Way = "go-build"     // the program of package builds, made by go build
	BySluiceBuild Way = "sluice-build" // the same, made by sluice build

	// The ways of Pebble's files, in the program of module bench/pebble.
	ByPebble       Way = "pebble"              // Pebble's own vfs.Default
	ByPebbleBuffer Way = "pebblevfs-buffered"  // integrations/pebblevfs, its mode Buffered
	ByPebbleHybrid Way = "pebblevfs-hybrid"    // its mode Hybrid
	ByPebbleDirect Way = "pebblevfs-direct"    // its mode Direct
	ByPebbleBuild  Way = "pebble-sluice-build" // vfs.Default, in the program made by sluice build
)

// OneGoroutine reports whether the way keeps several operations in flight from one goroutine.
func (w Way) OneGoroutine() bool { return w == ByMany || w == ByReader || w == ByNext || w.Fio() }

// Fio reports whether the way is the program fio.
func (w Way) Fio() bool { return w == ByFio || w == ByTunedFio }

// OSFile is the side that the others are compared with.
var OSFile = Side{Name: "os.File", Way: ByOS}

// Fio shows what a disk can do, and TunedFio what a request need not cost more than.
var (
	Fio      = Side{Name: "fio", Way: ByFio}
	TunedFio = Side{Name: "fio, tuned", Way: ByTunedFio}
)

// PaperAIO is Linux AIO as the 2017 paper used it.
var PaperAIO = Side{Name: "2017 AIO", Way: ByPaper}

// Sluice returns the side of sluice.File on the given driver; "" is sluice's own choice.
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
	Path string `json:"path"`           // for the kinds of Pebble that of the database's directory
	Logs string `json:"logs,omitempty"` // beginning of the names of logs; "" is Path
	Side Side   `json:"side"`
	Load Load   `json:"load"`
	// Prepared is set if an earlier worker with this Setup has brought the page cache into the
	// state that the load wants, and left it so.
	Prepared bool `json:"prepared,omitempty"`
	// Pace is the units of computation in a microsecond (Pace), for kinds that compute between
	// operations. The parent measures it once for all workers, so that all do the same.
	Pace int `json:"pace,omitempty"`
	// Sink is the TCP address where ServeFile sends to.
	Sink string `json:"sink,omitempty"`
}

// SliceReq asks for one slice.
type SliceReq struct {
	Lead time.Duration `json:"lead"` // length of the lead-in
	Time time.Duration `json:"time"` // length of the window
	Seed uint64        `json:"seed"` // of the offsets
}

// Reply answers a Request. If Error or Unsupported is set there is no result, and the worker is
// of no more use.
type Reply struct {
	Error string `json:"error,omitempty"`
	// Unsupported is set instead of Error if this machine lacks what the load needs: a driver,
	// O_DIRECT, a page cache that can be dropped.
	Unsupported string          `json:"unsupported,omitempty"`
	Explain     string          `json:"explain,omitempty"` // sluice's Explain, after Setup and after a slice
	Slice       *Slice          `json:"slice,omitempty"`
	Stats       json.RawMessage `json:"stats,omitempty"` // sluice's Stats, after a slice
}

// Slice is the result of one slice.
type Slice struct {
	Ops     float64       `json:"ops"`     // an operation that is partly in the window counts in part
	Elapsed time.Duration `json:"elapsed"` // length of the window
	CPU     time.Duration `json:"cpu"`     // user and system time of the process in the window
	Mean    time.Duration `json:"mean"`    // latency of an operation, as its goroutine sees it
	P50     time.Duration `json:"p50"`
	P99     time.Duration `json:"p99"`
	P999    time.Duration `json:"p999,omitempty"` // 0 where it is not measured
	Max     time.Duration `json:"max"`

	// Resident is the growth of the worker's resident memory since before it opened the file, and
	// Buffers the peak of the memory that data was read into; in bytes, 0 if unknown.
	Resident int64 `json:"resident,omitempty"`
	Buffers  int64 `json:"buffers,omitempty"`

	// Flood is the bytes a second that Load.Flood read.
	Flood float64 `json:"flood,omitempty"`

	// Compaction is the bytes a second that a compaction of the database wrote, for PebbleCompact.
	Compaction float64 `json:"compaction,omitempty"`

	// LateP50 and LateMax are how late a goroutine was that slept for a millisecond at a time, if
	// Load.Sleeper is set.
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

// RateIfMeasured is Rate, but NaN if the slice ended before its window opened, as a cold scan that reaches the
// end of the file does: a rate of 0 would count as a loss.
func (s Slice) RateIfMeasured() float64 {
	if s.Elapsed <= 0 {
		return math.NaN()
	}
	return s.Rate()
}

// CPUPerOp returns processor time an operation.
func (s Slice) CPUPerOp() time.Duration {
	if s.Ops == 0 {
		return 0
	}
	return time.Duration(float64(s.CPU) / s.Ops)
}
