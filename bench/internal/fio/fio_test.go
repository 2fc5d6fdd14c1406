package fio

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

const size = 64 << 20 // 64 MiB, of the file

// TestTuned checks that only the tuned side registers files and buffers and submits in batches.
func TestTuned(t *testing.T) {
	j := testJob(load.Load{Kind: load.ReadDirect, Size: 4096, Goroutines: 20})
	j.Side = load.TunedFio
	for _, option := range []string{"--fixedbufs=1", "--registerfiles=1", "--iodepth_batch_submit=20"} {
		if !slices.Contains(j.args(), option) {
			t.Errorf("args = %q; want %s among them", j.args(), option)
		}
	}
}

func testJob(l load.Load) job {
	return job{
		Setup: load.Setup{Path: "/mnt/a:b/file", Side: load.Fio, Load: l},
		size:  size,
		slice: load.SliceReq{Lead: 62 * time.Millisecond, Time: 250 * time.Millisecond, Seed: 7},
	}
}

// TestArgs checks that each job has the options that make the load the same.
func TestArgs(t *testing.T) {
	for _, test := range []struct {
		name      string
		load      load.Load
		has, lack []string
	}{
		{
			"random, direct",
			load.Load{Kind: load.ReadDirect, Size: 4096, Goroutines: 20, Within: 16 << 20},
			[]string{
				"--rw=randread", "--bs=4096", "--direct=1", "--ioengine=io_uring", "--iodepth=20",
				"--size=16777216", "--offset=0", "--time_based=1", "--norandommap=1", "--randseed=7",
				"--ramp_time=62000us", "--runtime=250000us", `--filename=/mnt/a\:b/file`, "--readonly",
			},
			[]string{"--iomem=mmaphuge", "--fixedbufs=1", "--registerfiles=1"},
		},
		{
			"random, cold",
			load.Load{Kind: load.ReadCold, Size: 4096, Goroutines: 20},
			[]string{"--rw=randread", "--direct=0", "--size=67108864"},
			[]string{"--time_based=1", "--norandommap=1", "--fixedbufs=1"}, // no block twice
		},
		{
			"scan, cold",
			load.Load{Kind: load.ScanCold, Size: 4096, Goroutines: 1},
			[]string{"--rw=read", "--direct=0", "--ioengine=psync"},
			[]string{"--time_based=1", "--iodepth=1"},
		},
		{
			"scan, direct",
			load.Load{Kind: load.ScanDirect, Size: 512 << 10, Goroutines: 5},
			[]string{"--rw=read", "--direct=1", "--iodepth=5", "--time_based=1"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := testJob(test.load).args()
			for _, a := range test.has {
				if !slices.Contains(args, a) {
					t.Errorf("%s is missing in %v", a, args)
				}
			}
			for _, a := range test.lack {
				if slices.Contains(args, a) {
					t.Errorf("%s is in %v", a, args)
				}
			}
		})
	}
}

// TestScanStaysInTheFile checks that offset and size are the same as in the workers' scans.
func TestScanStaysInTheFile(t *testing.T) {
	j := testJob(load.Load{Kind: load.ScanDirect, Size: 4096, Goroutines: 10})
	j.huge = true
	args := strings.Join(j.args(), " ")
	start := load.ScanStart(7, size, 4096)
	if start == 0 {
		t.Fatal("seed 7 begins at 0, which tells nothing")
	}
	for _, want := range []string{
		" --offset=" + strconv.FormatInt(start, 10) + " ", " --size=" + strconv.FormatInt(size-start, 10) + " ", " --iomem=mmaphuge",
	} {
		if !strings.Contains(args, want) {
			t.Errorf("%q is missing in %s", want, args)
		}
	}
}

// fioOutput is the output of fio 3.33, without parts that are not read.
const fioOutput = `note: both iodepth >= 1 and synchronous I/O engine are selected
{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "sluice-bench", "error" : 0,
  "read" : { "io_bytes" : 70905856, "iops" : 50000.0, "runtime" : 250, "total_ios" : 17311 },
  "job_runtime" : 250, "usr_cpu" : 10.0, "sys_cpu" : 40.0 } ] }`

func TestParse(t *testing.T) {
	s, err := parse([]byte(fioOutput), testJob(load.Load{Kind: load.ReadDirect, Size: 4096, Goroutines: 20}))
	want := load.Slice{Ops: 12500, Elapsed: 250 * time.Millisecond, CPU: 125 * time.Millisecond, Buffers: 80 << 10}
	if err != nil || s != want {
		t.Errorf("parse = %+v, %v; want %+v", s, err, want)
	}
	for _, text := range []string{"", "fio: hung", `{"jobs":[]}`, strings.Replace(fioOutput, `"error" : 0`, `"error" : 5`, 1)} {
		if s, err := parse([]byte(text), job{}); err == nil {
			t.Errorf("parse(%q) = %+v; want an error", text, s)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := New(t.Context())
	defer r.Stop()
	reply, err := r.Ask(load.Request{Setup: &load.Setup{Path: filepath.Join(t.TempDir(), "file")}})
	if err != nil || !strings.Contains(reply.Unsupported, "apt install fio") {
		t.Errorf("Ask = %+v, %v; want how to install it", reply, err)
	}
}

func TestOutOfTurn(t *testing.T) {
	r := New(t.Context())
	defer r.Stop()
	if _, err := r.Ask(load.Request{Slice: &load.SliceReq{}}); err == nil {
		t.Error("a slice before its setup is no error")
	}
}
