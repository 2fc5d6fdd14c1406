package experiments

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// TestTransparentCrowd checks the verdict for each outcome on the slow disk.
func TestTransparentCrowd(t *testing.T) {
	broken := errors.New("input/output error")
	for _, test := range []struct {
		name    string
		lab     slowLab
		verdict string
		err     error
	}{
		{"as it should be", slowLab{disk: fakeSlow{threads: 26}}, "reached: with 12000 goroutines go build's program dies with 10000 threads (fatal error: thread exhaustion); sluice build's reads all with 26 (", nil},
		{"too many threads", slowLab{disk: fakeSlow{threads: 27}}, "missed: with 12000 ", nil},
		{"no disk", slowLab{err: errors.New("no slow disk")}, "not measured: many goroutines on a slow disk; transparent: no slow disk", nil},
		{"in user space", slowLab{disk: fakeSlow{simulated: true}}, "not measured: many goroutines on a slow disk; this needs root: ", nil},
		{"a disk that fails", slowLab{disk: fakeSlow{fail: broken}}, "", broken},
		{"both die", slowLab{disk: deadly{fakeSlow{}}}, "missed: with 12000 goroutines go build's program dies with 10000 threads (fatal error: thread exhaustion), and sluice build's dies (", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			closed := false
			if f, ok := test.lab.disk.(fakeSlow); ok {
				f.closed = &closed
				test.lab.disk = f
			}
			result, _, err := run(t, transparent, test.lab, Params{})
			if !errors.Is(err, test.err) {
				t.Fatalf("Run = %v; want %v", err, test.err)
			}
			if _, ok := test.lab.disk.(fakeSlow); ok && !closed {
				t.Error("the disk is not closed")
			}
			if got := result.(*TransparentResult).crowdVerdict(); err == nil && !strings.HasPrefix(got, test.verdict) {
				t.Errorf("verdict is %q; want it to begin with %q", got, test.verdict)
			}
		})
	}
}

// deadly is a disk on which both sides die.
type deadly struct{ fakeSlow }

func (d deadly) Crowd(ctx context.Context, _ load.Side, n int, direct bool) (crowd.Outcome, error) {
	return d.fakeSlow.Crowd(ctx, load.OSFile, n, direct)
}

// noPrograms is a machine without a Go toolchain.
type noPrograms struct {
	fakeLab
	err     error
	removed *int
}

func (n noPrograms) Programs(context.Context, string) (func() error, error) {
	return func() error { *n.removed++; return nil }, n.err
}

// TestTransparentPrograms checks that the builds are removed, and that a failed removal is an
// error.
func TestTransparentPrograms(t *testing.T) {
	removed := 0
	_, _, err := run(t, transparent, noPrograms{err: errors.New("there is no go command"), removed: &removed}, Params{})
	if err == nil || err.Error() != "transparent: there is no go command" || removed != 0 {
		t.Errorf("Run = %v, removed %d times; want the reason", err, removed)
	}
	if _, _, err := run(t, transparent, noPrograms{removed: &removed}, Params{}); err != nil || removed != 1 {
		t.Errorf("Run = %v, removed %d times; want once", err, removed)
	}
	removed = 0
	lab := noPrograms{fakeLab: fakeLab{fail: "read-cached/4k/4"}, removed: &removed}
	result, _, err := run(t, transparent, lab, Params{})
	if n := len(result.(*TransparentResult).Cells); err == nil || removed != 1 || n != 1 {
		t.Errorf("Run = %v, removed %d times, %d cells; want an error, once, the one before", err, removed, n)
	}
}

// TestTransparentVerdicts checks that each cell is compared with its own target.
func TestTransparentVerdicts(t *testing.T) {
	cell := func(rate, target float64) TransparentCell {
		return TransparentCell{Cell{Name: "read", Ratios: &Ratios{Rate: stats.Number(rate)}, Sides: cellOf(1, 1, 1, 1, 1, 1, 1).Sides}, target}
	}
	r := &TransparentResult{Cells: []TransparentCell{cell(0.96, 0.97), cell(0.97, 0.97), cell(1.24, 1.25), {Cell: Cell{Name: "n/a"}}}}
	want := []string{"missed: read has 0.96 ", "reached: read has 0.97 ", "missed: read has 1.24 ", "not measured: "}
	got := r.Verdicts()
	if len(got) != len(want) {
		t.Fatalf("verdicts are %q; want %d", got, len(want))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("verdict %d is %q; want it to begin with %q", i, got[i], want[i])
		}
	}
}
