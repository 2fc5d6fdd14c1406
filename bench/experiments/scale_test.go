package experiments

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// TestScaleCells checks the numbers of goroutines, and that the cells of each machine share eight
// minutes.
func TestScaleCells(t *testing.T) {
	for procs, want := range map[int][]int{
		1:   {1, 2, 4, 64, 256},
		2:   {2, 4, 8, 64, 256},
		16:  {16, 32, 64, 256},
		32:  {32, 64, 128, 256},
		64:  {64, 128, 256},
		128: {128, 256, 512},
	} {
		p := Params{Procs: procs}
		if got := p.scaleGoroutines(); !slices.Equal(got, want) {
			t.Errorf("GOMAXPROCS %d: %v goroutines; want %v", procs, got, want)
		}
		n := len(p.scaleCells())
		if n != len(scaleKinds)*len(want) {
			t.Errorf("GOMAXPROCS %d: %d cells; want %d", procs, n, len(scaleKinds)*len(want))
		}
		if all := time.Duration(n) * p.withScaleTimes(n).PerCell; all > scaleTime {
			t.Errorf("GOMAXPROCS %d: the cells take %s; want at most %s", procs, all, scaleTime)
		}
	}
}

// TestScaleTimes checks that times given by the user count.
func TestScaleTimes(t *testing.T) {
	if p := (Params{}).withScaleTimes(1); p.PerCell != scaleMost || p.Time != scaleSlice {
		t.Errorf("one cell has %s in slices of %s; want %s and %s", p.PerCell, p.Time, scaleMost, scaleSlice)
	}
	for _, own := range []Params{{PerCell: time.Hour, Time: time.Second}, {Rounds: 6, Time: time.Second}} {
		if p := own.withScaleTimes(30); p.PerCell != own.PerCell || p.Time != own.Time {
			t.Errorf("%s a cell in slices of %s; want %s and %s, as given", p.PerCell, p.Time, own.PerCell, own.Time)
		}
	}
}

// slowDevice is a comparer on which a round takes some time.
type slowDevice struct {
	fakeLab
	round time.Duration
}

func (s slowDevice) Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	for n := 0; ; n++ {
		select {
		case <-time.After(s.round):
		case <-ctx.Done():
			if n == 0 {
				return nil, context.Cause(ctx)
			}
			results, _ := s.fakeLab.Compare(ctx, entries, duel.Plan{Rounds: n})
			return results, context.Cause(ctx)
		}
		if n+1 == RoundsForVerdict {
			return s.fakeLab.Compare(ctx, entries, duel.Plan{Rounds: n + 1})
		}
	}
}

// TestScaleEnds measures devices on which six rounds, or one, take longer than a cell may. The run
// must still end in time, with a note for each cell. The clock is the bubble's.
func TestScaleEnds(t *testing.T) {
	for _, test := range []struct {
		round            time.Duration
		measured, rounds bool
	}{
		{time.Millisecond, true, true},
		{10 * time.Second, true, false}, // fewer rounds than a verdict needs
		{time.Hour, false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			result, text, err := run(t, scale, slowDevice{round: test.round}, Params{Began: began})
			if took := time.Since(began); took > scaleEnd {
				t.Errorf("rounds of %s: the run takes %s; want at most %s", test.round, took, scaleEnd)
			}
			cells := result.(*MatrixResult).Cells
			if err != nil || len(cells) != 30 {
				t.Fatalf("rounds of %s: %d cells, %v; want 30", test.round, len(cells), err)
			}
			for _, c := range cells[:len(cells)-5] { // fakeLab measures the cells on tmpfs
				if (c.Ratios != nil) != test.measured || test.measured && (c.Rounds() >= RoundsForVerdict) != test.rounds {
					t.Errorf("rounds of %s: %s has %d rounds, %q", test.round, c.Name, len(c.Sides[0].Rounds), c.Unsupported)
				}
			}
			if !test.measured && !strings.Contains(text, "there was no time for a round; --cells with fewer cells") {
				t.Errorf("text is\n%s\nwant the reason", text)
			}
		})
	}
}

// TestScaleLate begins when the time is already up, as after a file that was written slowly.
func TestScaleLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, _, err := run(t, scale, slowDevice{round: time.Second}, Params{Began: time.Now().Add(-scaleEnd)})
		if err != nil || len(result.(*MatrixResult).Cells) != 30 {
			t.Errorf("Run = %v, %v; want 30 cells", result, err)
		}
	})
}

// TestScaleInterrupted checks that Ctrl-C does not count as the end of a cell's time.
func TestScaleInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errCtrlC)
	b := boundedComparer{slowDevice{round: time.Hour}, &allowance{end: time.Now().Add(time.Hour), cells: 1}}
	if results, err := b.Compare(ctx, duel.Same(load.Load{}, []load.Side{load.OSFile}), duel.Plan{}); !errors.Is(err, errCtrlC) {
		t.Errorf("Compare = %v, %v; want %v", results, err, errCtrlC)
	}
}

// tmpfsLab is a fakeLab that counts files on tmpfs, or has none.
type tmpfsLab struct {
	fakeLab
	lacks error
	open  *int
	made  *int
}

func (l tmpfsLab) Tmpfs(context.Context, int64, func(float64)) (Tmpfs, error) {
	if l.lacks != nil {
		return nil, l.lacks
	}
	*l.open++
	*l.made++
	return countedTmpfs{fakeTmpfs{l}, l.open}, nil
}

type countedTmpfs struct {
	fakeTmpfs
	open *int
}

func (c countedTmpfs) Close() error {
	*c.open--
	return nil
}

// TestScaleTmpfs checks that one file on tmpfs is made for all cells that need it. It must be
// removed, after an error too. The test also checks the message if there is no tmpfs.
func TestScaleTmpfs(t *testing.T) {
	made, open := 0, 0
	lab := tmpfsLab{open: &open, made: &made}
	if _, _, err := run(t, scale, lab, Params{}); err != nil || made != 1 || open != 0 {
		t.Errorf("Run = %v, %d files made, %d left; want 1, 0", err, made, open)
	}
	lab.fail = "read-tmpfs/4k/4"
	if _, _, err := run(t, scale, lab, Params{}); err == nil || made != 2 || open != 0 {
		t.Errorf("Run = %v, %d files made, %d left; want an error, 2, 0", err, made, open)
	}
	direct := Params{Cells: []Pattern{mustParse(t, "read-direct")}}
	if _, _, err := run(t, scale, lab, direct); err != nil || made != 2 {
		t.Errorf("without a cell on tmpfs: Run = %v, %d files made; want 2", err, made)
	}
	lab.fail, lab.lacks = "", errors.New("there is no tmpfs here")
	result, text, err := run(t, scale, lab, Params{})
	if err != nil || !strings.Contains(text, "read-tmpfs/4k/4  os.File: there is no tmpfs here") {
		t.Errorf("Run = %v,\n%s\nwant the reason", err, text)
	}
	if n := len(result.(*MatrixResult).measured()); n != 25 {
		t.Errorf("%d cells were measured; want the 25 on the disk", n)
	}
}

// TestScaleKept checks that a run without --json says how to keep its results.
func TestScaleKept(t *testing.T) {
	for _, kept := range []bool{false, true} {
		_, text, err := run(t, scale, fakeLab{}, Params{Rounds: 1, Kept: kept})
		if err != nil || strings.Contains(text, "--json FILE") == kept {
			t.Errorf("kept %v: Run = %v,\n%s", kept, err, text)
		}
	}
}
