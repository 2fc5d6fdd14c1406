package pictures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/results"
)

// cells returns the comparisons of a matrix with these ratios. Each interval reaches half to both
// sides.
func cells(t *testing.T, rounds int, half float64, ratios ...float64) []comparison {
	t.Helper()
	r := &experiments.MatrixResult{}
	for i, v := range ratios {
		side := func(s load.Side) *duel.Result {
			return &duel.Result{Side: s, Rounds: slices.Repeat([]load.Slice{{Ops: 1, Elapsed: time.Second}}, rounds)}
		}
		q := &experiments.Ratios{Rate: stats.Number(v), Low: stats.Number(v - half), High: stats.Number(v + half)}
		q.Verdict = stats.Judge(q.Rate, q.Low, q.High, rounds)
		r.Cells = append(r.Cells, experiments.Cell{
			Load:   load.Load{Kind: load.ReadDirect, Size: 4096, Goroutines: 1 << i},
			Ratios: q, Sides: []*duel.Result{side(load.OSFile), side(load.Sluice(""))},
		})
	}
	return comparisons(r)
}

func TestSentence(t *testing.T) {
	for _, test := range []struct {
		all  []comparison
		want string
	}{
		{nil, "No experiment of this run compares sluice with anything; each one's finding is below."},
		{cells(t, 8, 0.05, 1.3), "sluice is ahead of os.File in the one cell that was measured: 1.30 times as fast (95 %: 1.25 to 1.35)."},
		{cells(t, 8, 0.5, 1.3), "It is unclear whether sluice is faster than os.File in the one cell that was measured: 1.30 times as fast (95 %: 0.80 to 1.80)."},
		{
			cells(t, 8, 0.02, 1.3, 1.5, 0.8, 1),
			"sluice is ahead of os.File in 2 of 4 cells, level in 1, unclear in none and behind in 1; the median ratio is 1.15.",
		},
		{
			cells(t, 2, 0.02, 1.3, 0.8),
			"sluice is ahead of os.File in none of 2 cells, level in none, unclear in 2 and behind in none; the median ratio is 1.05 (fewer than 6 rounds, which cannot tell a difference from chance).",
		},
		{
			append(cells(t, 8, 0.02, 1.3), comparison{entry: "sluice build", to: "go build", ratio: 1.1, verdict: stats.Ahead, rounds: 8}),
			"sluice is ahead in 2 of 2 cells, level in none, unclear in none and behind in none; the median ratio is 1.20.",
		},
	} {
		if got := sentence(test.all); got != test.want {
			t.Errorf("the sentence is\n%s\nwant\n%s", got, test.want)
		}
	}
}

// TestHeat checks that the columns are in the order of their numbers, and that a cell has its
// verdict and its interval.
func TestHeat(t *testing.T) {
	all := cells(t, 8, 0.05, 1.3, 0.7, 1)
	slices.Reverse(all)
	h := newHeat("matrix", all)
	if want := []string{"1", "2", "4"}; !slices.Equal(h.Columns, want) || len(h.Cells) != 1 {
		t.Fatalf("columns are %q in %d rows; want %q in 1", h.Columns, len(h.Cells), want)
	}
	var got []string
	for _, c := range h.Cells[0].Cells {
		got = append(got, string(c.Verdict)+" "+c.Mark+c.Ratio+" "+c.Range)
	}
	if want := []string{"ahead ▲1.30 1.25–1.35", "behind ▼0.70 0.65–0.75", "unclear ?1.00 0.95–1.05"}; !slices.Equal(got, want) {
		t.Errorf("cells are %q; want %q", got, want)
	}
	if want := "read-direct, 4 KiB, 1 goroutine\nsluice to os.File: 1.30 (ahead)\n95 %: 1.25 to 1.35; 8 rounds"; h.Cells[0].Cells[0].Tip != want {
		t.Errorf("the tip is %q; want %q", h.Cells[0].Cells[0].Tip, want)
	}
}

// TestCallsAreSpeeds checks that the ratios of times of fig4 and fig6 become ratios of speeds.
func TestCallsAreSpeeds(t *testing.T) {
	row := experiments.CallRow{Load: load.Load{Kind: load.ReadDirect, Size: 4096, Goroutines: 1}}
	for _, side := range []load.Side{load.OSFile, load.Sluice("uring")} {
		row.Calls = append(row.Calls, experiments.Call{
			Ratio: 0.5, Low: 0.4, High: 0.8, Result: &duel.Result{Side: side, Rounds: slices.Repeat([]load.Slice{{Mean: time.Microsecond}}, 6)},
		})
	}
	all := comparisons(&experiments.CallResult{Rows: []experiments.CallRow{row}})
	if len(all) != 1 || all[0].ratio != 2 || all[0].low != 1.25 || all[0].high != 2.5 || all[0].verdict != stats.Ahead {
		t.Errorf("comparisons are %+v; want one of 2 (1.25 to 2.5), ahead", all)
	}
}

// TestOverview checks that the picture is of the load with the most numbers of goroutines. All
// pictures must be well-formed and self-contained.
func TestOverview(t *testing.T) {
	files := written(t)
	svg := files[overviewName]
	for _, text := range []string{"Operations a second", "p99 latency, µs", "OS threads", "os.File", "sluice", "4 KiB random direct reads"} {
		if !bytes.Contains(svg, []byte(text)) {
			t.Errorf("the overview does not say %q", text)
		}
	}
	for name, text := range files {
		if !strings.HasSuffix(name, ".svg") {
			continue
		}
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s is no XML: %v", name, err)
				break
			}
		}
		if other := bytes.ReplaceAll(text, []byte("http://www.w3.org/2000/svg"), nil); bytes.Contains(other, []byte("http")) || bytes.Contains(other, []byte("url(")) {
			t.Errorf("%s refers to something else", name)
		}
	}
	if page := files[index]; bytes.Contains(page, []byte("<img")) || bytes.Contains(page, []byte("<link rel=\"style")) || bytes.Contains(page, []byte("<script src")) {
		t.Error("the page loads other files")
	}
	if _, ok := overview(&results.Run{}); ok {
		t.Error("there is an overview of nothing")
	}
}

// TestVirtualDisk checks that a disk behind virtio is not called rotating, in older files, too.
func TestVirtualDisk(t *testing.T) {
	for _, test := range []struct {
		device machine.Device
		want   string
	}{
		{machine.Device{Name: "vda", Rotational: true}, "vda, a virtual disk"},
		{machine.Device{Name: "sda", Model: "QEMU", Virtual: true}, "sda (QEMU), a virtual disk"},
		{machine.Device{Name: "sda", Rotational: true}, "sda, rotating"},
		{machine.Device{Name: "nvme0n1"}, "nvme0n1"},
	} {
		run := &results.Run{File: results.File{Machine: machine.Info{Device: test.device}}}
		if got := deviceText(run); got != test.want {
			t.Errorf("%+v is %q; want %q", test.device, got, test.want)
		}
	}
}
