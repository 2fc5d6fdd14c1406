package load

import (
	"encoding/json"
	"time"
)

// A Side names an implementation to be measured.
type Side struct {
	Name   string `json:"name"` // how tables call it
	Way    Way    `json:"way"`
	Driver string `json:"driver,omitempty"` // of sluice; "" is its own choice
	Budget int64  `json:"budget,omitempty"` // of the cache, in bytes
	Timed  bool   `json:"timed,omitempty"`  // BySluice and ByPaper: slices have Syscalls
	// Class, BySluice, has the Scheduler have the classes Foreground and Background;
	// it is whose the operations are. Those of a flood are Background's.
	Class string `json:"class,omitempty"`
}

// Way says through what a Side performs its operations.
type Way string

// The ways.
const (
	ByOS     Way = "os"        // os.File
	BySluice Way = "sluice"    // sluice.File
	ByPaper  Way = "paper-aio" // io_submit and io_getevents each time, as published in 2017

	ByBuffer Way = "sluice-buffer" // direct.File.ReadBuffer
	ByMany   Way = "sluice-many"   // direct.File.ReadMany
	ByReader Way = "sluice-reader" // direct.Reader.Read
	ByNext   Way = "sluice-next"   // direct.Reader.Next
	ByCache  Way = "sluice-cache"  // cache.File.ReadAt over a direct.File
	ByFio    Way = "fio"           // the program fio; no worker of this package

	ByCopy    Way = "sluice-cp" // the program sluice cp; no worker of this package
	ByProgram Way = "program"   // a program of somebody else's, or a floor; likewise

	// By a program that knows os.File alone, as go build and sluice build make it;
	// no worker of this package.
	ByGoBuild     Way = "go-build"
	BySluiceBuild Way = "sluice-build"

	// ByTunedFio is fio with all that makes a request cheap.
	ByTunedFio Way = "fio-tuned"
)

// Alone reports whether the way keeps several operations in progress from one
// goroutine.
func (w Way) Alone() bool { return w == ByMany || w == ByReader || w == ByNext || w.Fio() }

// Fio reports whether the way is the program fio.
func (w Way) Fio() bool { return w == ByFio || w == ByTunedFio }

// OSFile is the side every other is compared with.
var OSFile = Side{Name: "os.File", Way: ByOS}

// Fio is the yardstick of what a disk can do, as its users run it, and TunedFio
// that of what a request need cost.
var (
	Fio      = Side{Name: "fio", Way: ByFio}
	TunedFio = Side{Name: "fio, tuned", Way: ByTunedFio}
)

// PaperAIO is what the 2017 paper measured.
var PaperAIO = Side{Name: "2017 AIO", Way: ByPaper}

// Sluice returns the side that goes through sluice with the given driver,
// "" for the one sluice chooses.
func Sluice(driver string) Side {
	s := Side{Name: "sluice", Way: BySluice, Driver: driver}
	if driver != "" {
		s.Name += "/" + driver
	}
	return s
}

// Request is one line from the parent. Exactly one field is set.
type Request struct {
	Setup *Setup    `json:"setup,omitempty"`
	Slice *SliceReq `json:"slice,omitempty"`
}

// Setup is the first request: what to open and what to do to it.
type Setup struct {
	Path string `json:"path"`
	Logs string `json:"logs,omitempty"` // how the names of logs begin; "" is Path
	Side Side   `json:"side"`
	Load Load   `json:"load"`
}

// SliceReq asks for one slice.
type SliceReq struct {
	Lead time.Duration `json:"lead"` // before the measured window
	Time time.Duration `json:"time"` // of the measured window
	Seed uint64        `json:"seed"` // of the offsets
}

// Reply answers a Request. Error and Unsupported say why there is no result;
// both end the worker.
type Reply struct {
	Error string `json:"error,omitempty"`
	// Unsupported is set instead of Error where this machine lacks what the
	// load needs: a driver, O_DIRECT, a page cache that can be dropped.
	Unsupported string          `json:"unsupported,omitempty"`
	Explain     string          `json:"explain,omitempty"` // sluice's Explain, after Setup
	Slice       *Slice          `json:"slice,omitempty"`
	Stats       json.RawMessage `json:"stats,omitempty"` // sluice's Stats, after a slice
}

// Slice is what one slice measured.
type Slice struct {
	Ops     float64       `json:"ops"`     // those in part in the window count in part
	Elapsed time.Duration `json:"elapsed"` // the length of the window
	CPU     time.Duration `json:"cpu"`     // user and system time of the whole process, in the window
	Mean    time.Duration `json:"mean"`    // of an operation, as its goroutine sees it
	P50     time.Duration `json:"p50"`
	P99     time.Duration `json:"p99"`
	Max     time.Duration `json:"max"`

	// Resident is the worker's resident memory at the end, less what it had
	// before it opened the file, and Buffers the most memory that data was
	// read into until then; in bytes, 0 where it is not known.
	Resident int64 `json:"resident,omitempty"`
	Buffers  int64 `json:"buffers,omitempty"`

	// Flood is the bytes a second of Load.Flood.
	Flood float64 `json:"flood,omitempty"`

	// Syscalls are those of the lead-in and the window, of sides that are Timed.
	Syscalls *Syscalls `json:"syscalls,omitempty"`
}

// Rate returns operations a second.
func (s Slice) Rate() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return s.Ops / s.Elapsed.Seconds()
}

// CPUPerOp returns processor time an operation.
func (s Slice) CPUPerOp() time.Duration {
	if s.Ops == 0 {
		return 0
	}
	return time.Duration(float64(s.CPU) / s.Ops)
}
