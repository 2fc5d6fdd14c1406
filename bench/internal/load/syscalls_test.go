package load

import (
	"slices"
	"testing"
	"time"

	"github.com/sluiceio/sluice/trace"
)

func TestRecorded(t *testing.T) {
	tr := &trace.Trace{
		Ops: []trace.Op{
			{Queued: 5, Kind: trace.KindRead, Path: trace.PathPlain, Submitted: 6, Completed: 9},
			{Queued: 10, Kind: trace.KindRead, Path: trace.PathPlain, Submitted: 20, Completed: 50},
			{Queued: 11, Kind: trace.KindRead, Path: trace.PathPlain, Submitted: 30, Completed: 40},
			{Queued: 12, Kind: trace.KindRead, Path: trace.PathQueued, Submitted: 30, Completed: 90},
		},
		Calls: []trace.Call{
			{Start: 9, Duration: 1, Syscall: "io_uring_enter"},
			{Start: 10, Duration: 2, Syscall: "io_uring_enter"},
			{Start: 11, Duration: 90, Syscall: "trial (plain)", Trial: true}, // no system call
		},
	}
	want := []Syscall{{"pread64", 2, 40}, {"io_uring_enter", 1, 2}}
	if got := recorded(tr, 10); got.Ops != 3 || !slices.Equal(got.Calls, want) {
		t.Errorf("recorded = %+v; want 3 operations, %+v", got, want)
	}
}

// TestTimedWorkers runs two slices, and checks that the second has only its own calls.
func TestTimedWorkers(t *testing.T) {
	path := testFile(t)
	for _, side := range []Side{PaperAIO, Sluice("uring"), Sluice("aio"), Sluice("pool")} {
		t.Run(side.Name, func(t *testing.T) {
			side.Timed = true
			slice := Request{Slice: &SliceReq{Time: 10 * time.Millisecond, Seed: 1}}
			setup := Setup{Path: path, Side: side, Load: Load{Kind: ReadCold, Size: 4000, Goroutines: 2}}
			replies := serve(t, Request{Setup: &setup}, slice, slice)
			for _, r := range replies {
				if r.Unsupported != "" {
					skipUnsupported(t, r.Unsupported)
				}
				if r.Error != "" {
					t.Fatal(r.Error)
				}
			}
			for _, r := range replies[1:] {
				checkSyscalls(t, side, r.Slice)
			}
		})
	}
}

func checkSyscalls(t *testing.T, side Side, s *Slice) {
	t.Helper()
	const most = testSize / 4000 // each block is read once in a slice
	if s.Syscalls == nil || s.Syscalls.Ops < 1 || s.Syscalls.Ops > 2*most {
		t.Fatalf("system calls are %+v; want those of 1 to %d operations", s.Syscalls, 2*most)
	}
	counts := map[string]int64{}
	for _, c := range s.Syscalls.Calls {
		counts[c.Name] = c.Count
		if c.Time <= 0 || c.Count <= 0 {
			t.Errorf("%s has taken %s in %d calls", c.Name, c.Time, c.Count)
		}
	}
	if side.Way != ByPaper {
		return
	}
	if n := counts["io_submit"]; n != s.Syscalls.Ops || counts["io_getevents"] < n || counts["io_setup"] != 1 || counts["io_destroy"] != 1 {
		t.Errorf("%d operations by %v; want an io_submit each, and one context", s.Syscalls.Ops, counts)
	}
}
