package fio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// job is one run of fio.
type job struct {
	load.Setup
	size  int64 // of the file
	slice load.SliceReq
	huge  bool // memory in huge pages
}

// engine returns fio's options for making requests: plain system calls if one request is in flight
// at a time, else io_uring. If tuned, it has all options that make io_uring cheap: registered files
// and buffers, and as many submissions and completions as possible in one system call.
func engine(l load.Load, tuned bool) []string {
	if l.Goroutines == 1 {
		return []string{"ioengine=psync"}
	}
	depth := strconv.Itoa(l.Goroutines)
	options := []string{"ioengine=io_uring", "iodepth=" + depth}
	if !tuned {
		return options
	}
	options = append(options, "registerfiles=1")
	if l.Kind.Direct() {
		options = append(options, "fixedbufs=1")
	}
	return append(options, "iodepth_batch_submit="+depth, "iodepth_batch_complete_max="+depth)
}

// shape returns fio's options for the pattern and size of the reads.
func shape(l load.Load) []string {
	options := []string{"rw=randread", "bs=" + strconv.Itoa(l.Size), "direct=0"}
	if l.Kind.Scan() {
		options[0] = "rw=read"
	}
	if l.Kind.Direct() {
		options[2] = "direct=1"
	}
	return options
}

// describe returns the options of a job that affect its result.
func describe(s load.Setup) string {
	return strings.Join(append(shape(s.Load), engine(s.Load, s.Side.Way == load.ByTunedFio)...), " ")
}

// args returns fio's command line. With gtod_reduce fio does not read the clock three times for
// each operation, and so has no more overhead than a worker process.
func (j job) args() []string {
	l := j.Load
	span, start := l.Span(j.size), int64(0)
	if l.Kind.Scan() {
		start = load.ScanStart(j.slice.Seed, span, l.Size)
	}
	options := append(shape(l), engine(l, j.Side.Way == load.ByTunedFio)...)
	options = append(options,
		"name=sluice-bench", "filename="+strings.ReplaceAll(j.Path, ":", `\:`),
		"readonly", "allow_file_create=0", "invalidate=0", "output-format=json", "eta=never", "gtod_reduce=1",
		"randrepeat=0", fmt.Sprintf("randseed=%d", j.slice.Seed),
		fmt.Sprintf("offset=%d", start), fmt.Sprintf("size=%d", span-start),
		"ramp_time="+micros(j.slice.Lead), "runtime="+micros(j.slice.Time))
	if !l.Kind.Cold() { // a block is cold only once, so a cold job ends with the file
		options = append(options, "time_based=1", "norandommap=1")
	}
	if j.huge {
		options = append(options, "iomem=mmaphuge")
	}
	for i, o := range options {
		options[i] = "--" + o
	}
	return options
}

func micros(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) + "us" }

// results is the part of fio's JSON output that is used.
type results struct {
	Jobs []struct {
		Error int     `json:"error"`
		User  float64 `json:"usr_cpu"` // percent of the run's time
		Sys   float64 `json:"sys_cpu"`
		// Runtime is the time in ms that counts as 100 % for User and Sys.
		Runtime int64 `json:"job_runtime"`
		Read    struct {
			Ops     float64 `json:"total_ios"`
			Rate    float64 `json:"iops"`
			Runtime int64   `json:"runtime"` // in ms
		} `json:"read"`
	} `json:"jobs"`
}

// decode decodes fio's JSON output. Warnings may precede it.
func decode(text []byte, results any) error {
	if i := bytes.IndexByte(text, '{'); i > 0 {
		text = text[i:]
	}
	if err := json.Unmarshal(text, results); err != nil {
		return fmt.Errorf("cannot read fio's results: %w", err)
	}
	return nil
}

func parse(text []byte, j job) (load.Slice, error) {
	var o results
	if err := decode(text, &o); err != nil {
		return load.Slice{}, err
	}
	if len(o.Jobs) != 1 || o.Jobs[0].Error != 0 {
		return load.Slice{}, fmt.Errorf("fio's job failed: %s", firstLine(string(text)))
	}
	r := o.Jobs[0]
	return load.Slice{
		Ops:     r.Read.Rate * float64(r.Read.Runtime) / 1e3,
		Elapsed: time.Duration(r.Read.Runtime) * time.Millisecond,
		CPU:     time.Duration((r.User + r.Sys) / 100 * float64(r.Runtime) * float64(time.Millisecond)),
		Buffers: int64(j.Load.Size) * int64(j.Load.Goroutines),
	}, nil
}
