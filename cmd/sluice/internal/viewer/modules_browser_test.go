package viewer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/tracepage"
)

// modulesIn evaluates an expression in an empty page. The expression may use the exports
// of the modules, and the values of input by name.
func modulesIn[T any](t *testing.T, browser context.Context, names []string, input map[string]any, expression string) T {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	defer cancel()
	var b strings.Builder
	for _, name := range names {
		text, err := tracepage.Module(name)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(text)
	}
	for name, v := range input {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "const %s = %s;\n", name, text)
	}
	return eval[T](&page{TB: t, ctx: ctx}, fmt.Sprintf("(() => { %s\nreturn %s; })()", &b, expression))
}

// intervals returns n intervals, sorted by start. All times are whole numbers below 1000,
// so many intervals begin and end at the same time, and some are empty.
func intervals(r *rand.Rand, n int) (starts, ends []int) {
	at := 0
	for range n {
		at += r.IntN(1000/n + 2)
		starts = append(starts, at)
		ends = append(ends, at+r.IntN(1+r.IntN(200)))
	}
	return starts, ends
}

func testModules(t *testing.T, browser context.Context) {
	r := seed.Rand(t)
	for _, n := range []int{1, 10, 300, 2000} {
		starts, ends := intervals(r, n)
		input := map[string]any{"starts": starts, "ends": ends}
		testTracks(t, browser, starts, ends, input)
		testDepth(t, browser, starts, ends, input)
	}
	testRates(t, browser, r)
}

// testTracks checks, for intervals in two lanes, that each interval is in the first free
// row of its lane.
func testTracks(t *testing.T, browser context.Context, starts, ends []int, input map[string]any) {
	type rows struct{ FirstRow, Begin, Item []int }
	got := modulesIn[rows](t, browser, []string{"tracks"}, input,
		`(({ firstRow, begin, item }) => ({ FirstRow: firstRow, Begin: begin, Item: [...item] }))(new Tracks({
			items: starts.map((_, i) => i), start: starts, end: ends, laneOf: (i) => i % 2, lanes: 2,
		}))`)
	row := make([]int, len(starts))
	for k := range len(got.Begin) - 1 {
		for _, i := range got.Item[got.Begin[k]:got.Begin[k+1]] {
			row[i] = k
		}
	}
	var busy [2][]int // until when each row of a lane is
	for i := range starts {
		lane, k := i%2, 0
		for k < len(busy[lane]) && busy[lane][k] > starts[i] {
			k++
		}
		if k == len(busy[lane]) {
			busy[lane] = append(busy[lane], 0)
		}
		busy[lane][k] = ends[i]
		if want := got.FirstRow[lane] + k; row[i] != want {
			t.Fatalf("interval %d of %v to %v is in row %d; want %d", i, starts, ends, row[i], want)
		}
	}
}

// testDepth compares the result of depths with counting. The parts begin and end between
// the intervals' times, so each interval's parts are unambiguous.
func testDepth(t *testing.T, browser context.Context, starts, ends []int, input map[string]any) {
	ends = slices.Clone(ends)
	for i := range ends {
		ends[i] = max(ends[i], starts[i]+1)
	}
	const from, parts = 20.5, 40
	const width = 12
	got := modulesIn[[]int](t, browser, []string{"tracks", "series"}, input,
		fmt.Sprintf(`[...depths({ queued: starts, woken: ends, submitted: starts, completed: ends }, starts.map((_, i) => i)).progress.most(%v, %v, %d)]`, from, from+parts*width, parts))
	for k := range parts {
		a, b := from+float64(k*width), from+float64((k+1)*width)
		want := countAt(starts, ends, a)
		for i, s := range starts {
			if float64(s) > a && float64(s) < b {
				want = max(want, begunWith(starts, ends, i))
			}
		}
		if got[k] != want {
			t.Fatalf("from %v to %v there are at most %d of %v to %v; want %d", a, b, got[k], starts, ends, want)
		}
	}
}

// countAt returns the number of intervals at a time at which none begins or ends.
func countAt(starts, ends []int, at float64) int {
	n := 0
	for i := range starts {
		if float64(starts[i]) < at && float64(ends[i]) > at {
			n++
		}
	}
	return n
}

// begunWith returns the number of intervals when the i-th begins: that one included, those
// that end at that time excluded.
func begunWith(starts, ends []int, i int) int {
	n := 1
	for j := range i {
		if ends[j] > starts[i] {
			n++
		}
	}
	return n
}

// testRates checks, in narrow and in wide parts, that the rates add up to the bytes that all
// operations have transferred.
func testRates(t *testing.T, browser context.Context, r *rand.Rand) {
	const n = 1000
	var queued, submitted, completed, result, kind []int64
	var want [2]float64 // read, written
	for i := range int64(n) {
		queued = append(queued, i*1000)
		submitted = append(submitted, i*1000+r.Int64N(100))
		completed = append(completed, submitted[i]+r.Int64N(3)*r.Int64N(50_000))
		result = append(result, r.Int64N(1<<20)-1000)
		kind = append(kind, r.Int64N(2))
		want[kind[i]] += math.Max(0, float64(result[i]))
	}
	ops := map[string]any{"queued": queued, "submitted": submitted, "completed": completed, "result": result, "kind": kind}
	for _, width := range []float64{7, 100, 12_345, 1e6} {
		got := modulesIn[[2]float64](t, browser, []string{"tracks", "series"}, map[string]any{"ops": ops, "width": width}, `(() => {
			const { read, write } = new Rates(ops, ops.queued.map((_, i) => i), [false, true], -10000, 1300000).in(-10000, 1300000, width);
			return [read, write].map((rates) => rates.reduce((a, b) => a + b, 0) * width / 1e9);
		})()`)
		for k := range got {
			if math.Abs(got[k]-want[k]) > want[k]*1e-6 {
				t.Errorf("in parts of %v ns, %.0f bytes are transferred; want %.0f", width, got[k], want[k])
			}
		}
	}
}
