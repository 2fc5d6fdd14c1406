package experiments

import (
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// paperCalls returns a result whose reads take the given time in each call.
func paperCalls(submit, getevents, destroy time.Duration) *duel.Result {
	calls := &load.Syscalls{Ops: 10, Calls: []load.Syscall{
		{Name: "io_submit", Count: 10, Time: 10 * submit},
		{Name: "io_getevents", Count: 10, Time: 10 * getevents},
		{Name: "io_destroy", Count: 1, Time: destroy},
	}}
	return &duel.Result{Rounds: []load.Slice{{Syscalls: calls}}}
}

// TestFig5Verdict checks each wording of the verdict.
func TestFig5Verdict(t *testing.T) {
	const us = time.Microsecond
	missing := &duel.Result{Unsupported: "gone"}
	for _, test := range []struct {
		name                 string
		small, large, direct *duel.Result
		want                 string // part of the verdict
	}{
		{"as published", paperCalls(9*us, us, us), paperCalls(900*us, us, us), paperCalls(9*us, 900*us, us), "it still holds: "},
		{"flat", paperCalls(9*us, us, us), paperCalls(10*us, us, us), paperCalls(9*us, 900*us, us), "it does not hold (io_submit does not grow): "},
		{"asynchronous", paperCalls(9*us, us, us), paperCalls(90*us, 500*us, us), paperCalls(9*us, 900*us, us), "(io_submit does not block): "},
		{"direct blocks", paperCalls(9*us, us, us), paperCalls(900*us, us, us), paperCalls(900*us, us, us), "(io_submit blocks with O_DIRECT): "},
		{"another grows", paperCalls(9*us, us, us), paperCalls(900*us, us, 5*us), paperCalls(9*us, 900*us, us), "; io_destroy: not flat."},
		{"no direct", paperCalls(9*us, us, us), paperCalls(900*us, us, us), missing, "it still holds: io_submit takes 100 times"},
		{"none", missing, missing, missing, "undecided without Linux AIO"},
	} {
		var rows []Fig5Row
		for i, r := range []*duel.Result{test.small, test.large, test.direct} {
			kind := []load.Kind{load.ReadCold, load.ReadCold, load.ReadDirect}[i]
			rows = append(rows, newFig5Row(load.Load{Kind: kind, Goroutines: fig5Goroutines}, []*duel.Result{r}))
		}
		if got := fig5Verdict(rows); !strings.Contains(got, test.want) {
			t.Errorf("%s: verdict is %q; want %q in it", test.name, got, test.want)
		}
	}
}

// TestFig5Side checks the medians of two rounds. The second round has one more call.
func TestFig5Side(t *testing.T) {
	r := paperCalls(4000, 1000, 7000)
	r.Rounds = append(r.Rounds, load.Slice{Syscalls: &load.Syscalls{Ops: 2, Calls: []load.Syscall{
		{Name: "io_submit", Count: 1, Time: 2000}, {Name: "pread64", Count: 1, Time: 8000},
	}}}, load.Slice{})
	s := newFig5Side(r)
	if s.PerOp != 5000 { // 4000 + 1000, and (2000 + 8000) / 2
		t.Errorf("a read takes %v ns; want 5000, without io_destroy", s.PerOp)
	}
	want := SyscallTime{Name: "io_submit", Mean: 3000, PerOp: 2500, Times: 0.75}
	if got := s.call("io_submit"); got != want {
		t.Errorf("io_submit is %+v; want %+v", got, want)
	}
	if got := s.call("pread64"); got.PerOp != 4000 || got.Times != 0.5 {
		t.Errorf("pread64 is %+v; want 4000 ns a read and half a call", got)
	}
	if got := s.call("fsync").Mean; !got.IsNaN() {
		t.Errorf("a call that was not made took %v", got)
	}
}
