package viewer

import (
	"bytes"
	"cmp"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/tracepage"
	"github.com/sluiceio/sluice/internal/tracepage/synthetic"
	"github.com/sluiceio/sluice/trace"
)

// pageOf returns the page of tr.
func pageOf(t testing.TB, tr *trace.Trace, name string) string {
	t.Helper()
	var b bytes.Buffer
	if err := tracepage.Write(&b, tr, name); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBrowser opens pages in a browser, one after the other.
func TestBrowser(t *testing.T) {
	browser := startBrowser(t)
	large := synthetic.Trace(1, 200_000)
	t.Run("modules", func(t *testing.T) { testModules(t, browser) })
	t.Run("sizes", func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 1000} {
			p := open(t, browser, synthetic.Trace(2, n), desk)
			if got := p.shown(); got != n {
				t.Errorf("a page of %d operations shows %d", n, got)
			}
			if !eval[bool](p, `document.getElementById("lost").hidden`) {
				t.Errorf("a page of %d operations says that it is incomplete", n)
			}
			p.screenshot(fmt.Sprintf("operations-%d", n))
			for range 3 { // deep into nothing, and back
				p.after(click("#zoomIn"))
			}
			p.after(chromedp.KeyEvent("3"), chromedp.KeyEvent("2"), chromedp.KeyEvent(kb.Home))
		}
	})
	small := synthetic.Trace(3, 5000)
	for name, tr := range extremes() {
		t.Run("extremes/"+name, func(t *testing.T) {
			p := open(t, browser, tr, desk)
			if got := p.shown(); got != len(tr.Ops) {
				t.Errorf("%d operations are shown; want %d", got, len(tr.Ops))
			}
			for _, key := range "2++3--1." {
				p.after(chromedp.KeyEvent(string(key)))
			}
			p.analysed()
			p.screenshot("extreme-" + name)
		})
	}
	t.Run("served", func(t *testing.T) {
		if got := openURL(t, browser, serving(t, pageOf(t, small, "served")), desk).shown(); got != 5000 {
			t.Errorf("a page that is served shows %d operations; want 5000", got)
		}
	})
	t.Run("zoom", func(t *testing.T) { testZoom(t, open(t, browser, large, desk)) })
	t.Run("touch", func(t *testing.T) { testTouch(t, open(t, browser, small, phone)) })
	t.Run("filters", func(t *testing.T) { testFilters(t, open(t, browser, small, desk), small) })
	t.Run("search", func(t *testing.T) { testSearch(t, open(t, browser, small, desk), small) })
	t.Run("lanes", func(t *testing.T) { testLanes(t, open(t, browser, small, desk), small) })
	t.Run("statistics", func(t *testing.T) { testStatistics(t, open(t, browser, small, desk), small) })
	t.Run("rate", func(t *testing.T) { testRate(t, open(t, browser, small, desk), small) })
	t.Run("still pointer", func(t *testing.T) { testStillPointer(t, open(t, browser, one(), desk)) })
	t.Run("details", func(t *testing.T) { testDetails(t, open(t, browser, one(), desk)) })
	t.Run("sizes without transfers", func(t *testing.T) { testSized(t, open(t, browser, sized(), desk)) })
	t.Run("tap", func(t *testing.T) { testTap(t, open(t, browser, one(), phone)) })
	t.Run("keys", func(t *testing.T) { testKeys(t, open(t, browser, small, desk)) })
	t.Run("theme", func(t *testing.T) { testTheme(t, open(t, browser, small, desk)) })
	t.Run("links", func(t *testing.T) { testLinks(t, open(t, browser, synthetic.Linked(100), desk)) })
	t.Run("labels", func(t *testing.T) {
		testLabels(t, open(t, browser, synthetic.Linked(100), desk), synthetic.Linked(100))
	})
	t.Run("order", func(t *testing.T) {
		testOrder(t, func(names []string, expression string) []float64 {
			return modulesIn[[]float64](t, browser, names, nil, expression)
		})
	})
	t.Run("state", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "state.html")
		if err := os.WriteFile(name, []byte(pageOf(t, small, "state")), 0o600); err != nil {
			t.Fatal(err)
		}
		url := "file://" + name
		testState(t, openURL(t, browser, url, desk), small, func(fragment string) *page { return openURL(t, browser, url+fragment, desk) })
	})
	for name, w := range map[string]window{"1280": desk, "400": narrow, "390": phone} {
		t.Run("width/"+name, func(t *testing.T) { testWidth(t, open(t, browser, large, w), name, w) })
	}
}

// extremes returns unusual traces.
func extremes() map[string]*trace.Trace {
	all := map[string]*trace.Trace{"goroutines": {}, "depth": {}, "instants": {}, "ages": {}, "unknown": {}, "files": {}}
	add := func(name string, from, to time.Duration, change func(*trace.Op)) {
		o := trace.Op{Queued: from, Submitted: from, Completed: to, Woken: to, Size: 1 << 20, Result: 1 << 20, Kind: trace.KindRead}
		if change != nil {
			change(&o)
		}
		all[name].Ops = append(all[name].Ops, o)
	}
	for i := range 10_000 {
		t := time.Duration(i)
		add("goroutines", t, t+100, func(o *trace.Op) { o.Goroutine = uint32(i) })
		add("depth", t, t+50_000, nil)
		add("instants", 1000, 1000, nil)
		add("ages", t*time.Hour, t*time.Hour+t, nil)
		add("unknown", t, t+1, func(o *trace.Op) {
			o.Kind, o.Path, o.Driver, o.Class, o.Result = trace.Kind(i), trace.Path(i), fmt.Sprint("driver ", i%256), uint8(i), -int64(i)
		})
		add("files", t, t+1, func(o *trace.Op) { o.File = int32(i) })
		all["files"].Files = append(all["files"].Files, fmt.Sprint("/a/", i))
	}
	return all
}

// one returns a trace of one operation with known times.
func one() *trace.Trace {
	return &trace.Trace{
		Meta:  trace.Meta{OS: runtime.GOOS},
		Files: []string{"", "/a<b>&.log"},
		Ops: []trace.Op{{
			Queued: 1000, Submitted: 3500, Completed: 81500, Woken: 82000, Offset: 8192, Size: 4096, Result: -5, File: 1,
			Goroutine: 0xabc, Kind: trace.KindRead, Path: trace.PathQueued, Driver: "uring", Batch: 3, Class: 2, Ring: 4,
		}},
	}
}

// gutter is the width of the labels beside the lanes, on a wide screen.
const gutter = 172

func testZoom(t *testing.T, p *page) {
	left, top, width, height := p.box("#lanes")
	x, y := left+gutter+(width-gutter)/2, top+height/2
	from0, to0 := p.span()
	for _, step := range []struct {
		name string
		do   action
		want float64 // the span, as a part of the one before
	}{
		{"the button", click("#zoomIn"), 0.5},
		{"the other button", click("#zoomOut"), 2},
		{"a key", chromedp.KeyEvent("+"), 0.5},
		{"the wheel", wheel(x, y, -200), math.Exp(-0.4)},
		{"the other key", chromedp.KeyEvent("-"), 2},
	} {
		from, to := p.span()
		p.after(step.do)
		from1, to1 := p.span()
		if got := (to1 - from1) / (to - from); math.Abs(got-step.want) > 0.01 {
			t.Errorf("%s makes the span %.3f times as long; want %.3f", step.name, got, step.want)
		}
	}
	testZoomAt(t, p, left+gutter+(width-gutter)/4, y)
	p.after(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	from, to := p.span()
	p.after(drag(x, y, x-100, y)...)
	from1, to1 := p.span()
	if want := 100 / (width - gutter) * (to - from); math.Abs(from1-from-want) > want/20 || math.Abs(to1-to-want) > want/20 {
		t.Errorf("a drag by 100 pixels moves by %.0f ns and %.0f ns; want %.0f", from1-from, to1-to, want)
	}
	p.analysed(drag(x, y, x-100, y, chromedp.ModifierShift)...)
	from2, to2 := p.span()
	if want := 100 / (width - gutter) * (to1 - from1); math.Abs(to2-from2-want) > want/20 {
		t.Errorf("a marked part of %.0f ns shows %.0f ns", want, to2-from2)
	}
	p.screenshot("zoomed")
	p.after(chromedp.KeyEvent(kb.Home))
	if from, to := p.span(); from != from0 || to != to0 {
		t.Errorf("Home shows %.0f to %.0f; want %.0f to %.0f", from, to, from0, to0)
	}
}

// testZoomAt turns the wheel at a quarter of the plot: the time there stays.
func testZoomAt(t *testing.T, p *page, x, y float64) {
	from, to := p.span()
	p.after(wheel(x, y, -200))
	from1, to1 := p.span()
	at, at1 := from+(to-from)/4, from1+(to1-from1)/4
	if math.Abs(at1-at) > (to-from)/100 {
		t.Errorf("the wheel moves the time below the pointer from %.0f to %.0f", at, at1)
	}
}

func testTouch(t *testing.T, p *page) {
	p.run(chromedp.ScrollIntoView(chromedp.CSS("#lanes")))
	_, top, _, height := p.box("#lanes")
	y := top + height/2
	from, to := p.span()
	p.after(
		touch(touchStart, [2]float64{180, y}, [2]float64{240, y}),
		touch(touchMove, [2]float64{160, y}, [2]float64{260, y}),
		touch(touchMove, [2]float64{120, y}, [2]float64{300, y}),
		touch(touchEnd),
	)
	from1, to1 := p.span()
	if got := (to1 - from1) / (to - from); math.Abs(got-1.0/3) > 0.05 {
		t.Errorf("a pinch from 60 to 180 pixels makes the span %.3f times as long; want 0.333", got)
	}
	p.after(
		touch(touchStart, [2]float64{200, y}), touch(touchMove, [2]float64{220, y}),
		touch(touchMove, [2]float64{260, y}), touch(touchEnd),
	)
	if from2, to2 := p.span(); from2 >= from1 || to2 >= to1 {
		t.Errorf("a finger that moves to the right moves from %.0f to %.0f", from1, from2)
	}
	p.screenshot("touch")
}

// amount returns the number of operations for which is returns true.
func amount(tr *trace.Trace, is func(*trace.Op) bool) int {
	n := 0
	for i := range tr.Ops {
		if is(&tr.Ops[i]) {
			n++
		}
	}
	return n
}

func testFilters(t *testing.T, p *page, tr *trace.Trace) {
	check := func(what string, is func(*trace.Op) bool) {
		t.Helper()
		if got, want := p.shown(), amount(tr, is); got != want || want == 0 || want == len(tr.Ops) {
			t.Errorf("%s shows %d; want %d of %d", what, got, want, len(tr.Ops))
		}
		p.after(click("#reset"))
		if got := p.shown(); got != len(tr.Ops) {
			t.Errorf("after Reset, %d are shown; want %d", got, len(tr.Ops))
		}
	}
	for kind := trace.Kind(0); kind <= trace.KindFdatasync; kind++ {
		p.after(click(fmt.Sprintf("#kinds input[value='%d']", kind)))
		check("without "+kind.String(), func(o *trace.Op) bool { return o.Kind != kind })
	}
	for path := trace.PathCached; path <= trace.PathShared; path++ {
		p.after(click(fmt.Sprintf("#paths input[value='%d']", path)))
		check("without "+path.String(), func(o *trace.Op) bool { return o.Path != path })
	}
	for class := range uint8(3) {
		p.after(choose("#class", int(class))...)
		check(fmt.Sprint("class ", class), func(o *trace.Op) bool { return o.Class == class })
	}
	for file := 1; file < len(tr.Files); file++ {
		p.after(choose("#file", file)...)
		check("file "+tr.Files[file], func(o *trace.Op) bool { return int(o.File) == file })
	}
	p.analysed(append(choose("#file", 3), click("#kinds input[value='2']"), click("#paths input[value='1']"))...)
	p.screenshot("filtered")
	check("three filters", func(o *trace.Op) bool { return o.File == 3 && o.Kind != 2 && o.Path != 1 })
}

func choose(id string, value int) []action {
	return []action{script(fmt.Sprintf(
		"(() => { const s = document.querySelector(%q); s.value = %d; s.dispatchEvent(new Event('change')); })()", id, value))}
}

func testSearch(t *testing.T, p *page, tr *trace.Trace) {
	named := func(word string) func(*trace.Op) bool {
		return func(o *trace.Op) bool { return strings.Contains(tr.Files[o.File], word) }
	}
	for text, is := range map[string]func(*trace.Op) bool{
		"WAL":                         named("wal"),
		"-.sst":                       func(o *trace.Op) bool { return !named(".sst")(o) },
		"sync":                        func(o *trace.Op) bool { return o.Kind >= trace.KindFsync },
		"failed":                      func(o *trace.Op) bool { return o.Result < 0 },
		"input/output":                func(o *trace.Op) bool { return o.Result == -5 },
		"uring":                       func(o *trace.Op) bool { return o.Driver == "uring" },
		"foregr":                      func(o *trace.Op) bool { return o.Class == 1 },
		"shared":                      func(o *trace.Op) bool { return o.Path == trace.PathShared },
		"latency>1ms":                 func(o *trace.Op) bool { return o.Woken-o.Queued > time.Millisecond },
		"queue<=0.5us":                func(o *trace.Op) bool { return o.InQueue() <= 500 },
		"device>=2ms size=1m":         func(o *trace.Op) bool { return o.InDevice() >= 2*time.Millisecond && o.Size == 1<<20 },
		"waking<1000":                 func(o *trace.Op) bool { return o.Waking() < 1000 },
		"class=1 batch>8 offset>=1g":  func(o *trace.Op) bool { return o.Class == 1 && o.Batch > 8 && o.Offset >= 1<<30 },
		"result<0 -input/output":      func(o *trace.Op) bool { return o.Result < 0 && o.Result != -5 },
		"goroutine=1":                 func(o *trace.Op) bool { return o.Goroutine == tr.Ops[0].Goroutine },
		"  read   plain|  ":           func(*trace.Op) bool { return false },
		"nothing-has-this-name":       func(*trace.Op) bool { return false },
		"000012.sst latency<100us -x": func(o *trace.Op) bool { return named("000012")(o) && o.Woken-o.Queued < 100*time.Microsecond },
	} {
		p.after(typed(text))
		if got, want := p.shown(), amount(tr, is); got != want {
			t.Errorf("search %q shows %d; want %d", text, got, want)
		}
		if eval[bool](p, "!document.querySelector('#searchError').hidden") {
			t.Errorf("search %q is said to be wrong", text)
		}
	}
	for _, text := range []string{"latency>fast", "colour=1", "size>1ms", "batch>1k", "latency>"} {
		p.after(typed(text))
		if eval[bool](p, "document.querySelector('#searchError').hidden") || p.shown() != len(tr.Ops) {
			t.Errorf("search %q shows %d and says nothing; want all, and what is wrong", text, p.shown())
		}
	}
}

func typed(text string) action {
	return script(fmt.Sprintf(
		"(() => { const s = document.querySelector('#search'); s.value = %q; s.dispatchEvent(new Event('change')); })()", text))
}

func testLanes(t *testing.T, p *page, tr *trace.Trace) {
	type queue struct {
		driver string
		ring   uint8
	}
	goroutines, files, queues := map[uint32]bool{}, map[int32]bool{}, map[queue]bool{}
	for _, o := range tr.Ops {
		if o.Driver == "" {
			o.Ring = 0 // plain system calls are a lane, whose ever they are
		}
		goroutines[o.Goroutine], files[o.File], queues[queue{o.Driver, o.Ring}] = true, true, true
	}
	calls := map[uint8]bool{}
	for _, c := range tr.Calls {
		calls[c.Ring] = true
	}
	for way, want := range map[string]int{"goroutine": len(goroutines), "file": len(files), "ring": len(queues) + len(calls)} {
		p.analysed(click(fmt.Sprintf("#lanesBy label:has([value=%s])", way)))
		p.wait(fmt.Sprintf("document.body.dataset.lanes === '%d'", want))
		p.screenshot("lanes-" + way)
	}
	p.analysed(click("#lanesBy label:has([value=goroutine])"), click("#colourBy label:has([value=path])"))
	p.screenshot("coloured-by-path")
}

// testStatistics compares the statistics on the page with those of the trace.
func testStatistics(t *testing.T, p *page, tr *trace.Trace) {
	var latencies []time.Duration
	for _, o := range tr.Ops {
		if o.Kind == trace.KindWrite {
			latencies = append(latencies, o.Woken-o.Queued)
		}
	}
	slices.SortFunc(latencies, func(a, b time.Duration) int { return cmp.Compare(a, b) })
	p.analysed(typed("write"))
	for name, part := range map[string]float64{"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999} {
		want := latencies[int(math.Ceil(part*float64(len(latencies))-1e-9))-1]
		got := eval[string](p, fmt.Sprintf("document.querySelector('#stats [data-name=\"%s\"] dd').textContent", name))
		d, err := time.ParseDuration(strings.ReplaceAll(got, " ", ""))
		if err != nil || math.Abs(float64(d-want)) > float64(want)/150 {
			t.Errorf("%s is %s; want %v", name, got, want)
		}
	}
	if got := eval[string](p, "document.body.dataset.inView"); got != fmt.Sprint(len(latencies)) {
		t.Errorf("%s operations are in view; want %d", got, len(latencies))
	}
}

// testRate looks at parts of the trace that are shorter than an operation. The rate of a
// part counts the operations that completed in it, not those that were in progress all the
// time.
func testRate(t *testing.T, p *page, tr *trace.Trace) {
	last := time.Duration(0)
	for i := range tr.Ops {
		last = max(last, tr.Ops[i].Woken)
	}
	p.after(chromedp.KeyEvent("."))
	p.after(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Escape))
	for range 12 {
		p.analysed(chromedp.KeyEvent("+"))
		from, to := p.span()
		completed, bytes := 0, int64(0)
		for i := range tr.Ops {
			if at := float64(tr.Ops[i].Completed); at >= from && at < to {
				completed++
				bytes += max(0, tr.Ops[i].Result)
			}
		}
		seconds := (min(to, float64(last)) - max(from, float64(tr.Ops[0].Queued))) / 1e9
		stat := func(name string) string {
			return eval[string](p, fmt.Sprintf("document.querySelector('#stats [data-name=%q] dd').textContent", name))
		}
		if got, want := stat("a second"), eval[string](p, fmt.Sprintf("(%v).toLocaleString('en-US')", math.Round(float64(completed)/seconds))); got != want {
			t.Errorf("from %v to %v there are %s operations a second; want %s, as %d have completed", from, to, got, want, completed)
		}
		if got := stat("transferred"); (got == "0 B") != (bytes == 0) {
			t.Errorf("from %v to %v %s are transferred; want %d bytes", from, to, got, bytes)
		}
	}
	if eval[string](p, "document.body.dataset.inView") == "0" {
		t.Error("there is no operation in view: the test shows nothing")
	}
}

// testStillPointer keeps the pointer still while other operations move below it: by keys, by
// a search, and by the wheel.
func testStillPointer(t *testing.T, p *page) {
	left, top, width, _ := p.box("#lanes")
	x, y := left+gutter+(width-gutter)/2, top+10
	said := func() string {
		return eval[string](p, "[...document.querySelectorAll('#timeAt, #depthAt, #rateAt')].map((e) => e.textContent).join('|')")
	}
	card := func() bool { return !eval[bool](p, "document.querySelector('#details').hidden") }
	p.after(move(x, y))
	if !card() {
		t.Fatal("the one operation has no card")
	}
	before := said()
	// Move to the left end by keys. Nothing is in the middle of the plot there.
	p.after(script(`[..."++++++", ...Array(100).fill("ArrowLeft")].forEach((key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: true })))`))
	if card() {
		t.Error("the card stays when its operation has moved away")
	}
	if got := said(); got == before {
		t.Errorf("the labels stay %q", got)
	}
	p.after(chromedp.KeyEvent(kb.Home))
	if !card() || said() != before {
		t.Errorf("after Home the card is shown: %v, and the labels are %q; want %q", card(), said(), before)
	}
	p.after(typed("nothing-has-this-name"))
	if card() {
		t.Error("the card stays when a search has taken its operation away")
	}
	if got := said(); got == before {
		t.Errorf("after a search the labels stay %q", got)
	}
	p.after(typed(""))
	if !card() || said() != before {
		t.Errorf("after the search the card is shown: %v, and the labels are %q; want %q", card(), said(), before)
	}
	p.after(chromedp.MouseClickXY(x, y), typed("nothing-has-this-name"))
	if card() {
		t.Error("a card that was kept stays when a search has taken its operation away")
	}
}

// testDetails points at the only operation.
func testDetails(t *testing.T, p *page) {
	left, top, width, _ := p.box("#lanes")
	x, y := left+gutter+(width-gutter)/2, top+10
	p.after(move(x, y))
	p.screenshot("tooltip")
	text := eval[string](p, "document.querySelector('#details').innerText")
	for _, want := range []string{
		// The four times, and between them
		"1.000 µs", "3.500 µs", "81.500 µs", "82.000 µs", "2.50 µs", "78.0 µs", "500 ns", "81.0 µs",
		"read", "4 KiB", "8,192", "/a<b>&.log", "queued, uring, ring 4", syscall.Errno(5).Error(), "of 3", "abc",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the tooltip has no %q: %q", want, text)
		}
	}
	hidden := "document.querySelector('#details').hidden"
	p.after(move(x, y+60))
	if !eval[bool](p, hidden) {
		t.Error("the tooltip stays where there is no operation")
	}
	p.after(chromedp.MouseClickXY(x, y), move(x, y+60))
	if eval[bool](p, hidden) {
		t.Error("a click does not keep the tooltip")
	}
	p.after(chromedp.KeyEvent(kb.Escape))
	if !eval[bool](p, hidden) {
		t.Error("Escape does not let go of the tooltip")
	}
}

// sized returns a trace of operations whose result is 0: those that have a size and transfer no
// bytes, and a read at the end of the file.
func sized() *trace.Trace {
	t := &trace.Trace{Meta: trace.Meta{OS: runtime.GOOS}, Files: []string{""}}
	for i, kind := range []trace.Kind{record.KindAllocate, record.KindTruncate, record.KindAdvise, trace.KindRead} {
		at := time.Duration(i) * time.Millisecond
		t.Ops = append(t.Ops, trace.Op{Queued: at, Submitted: at, Completed: at + 500, Woken: at + 500, Size: 4096, Kind: kind, Path: trace.PathPlain})
	}
	return t
}

// testSized goes from one operation to the next: only the read is short.
func testSized(t *testing.T, p *page) {
	p.after(chromedp.KeyEvent("."))
	for _, want := range []string{"done", "done", "done", "0 B, short"} {
		text := eval[string](p, "document.querySelector('#details').innerText")
		if !strings.Contains(text, want) || strings.Contains(text, "short") != strings.Contains(want, "short") {
			t.Errorf("the details are %q; want the result %q", text, want)
		}
		p.after(chromedp.KeyEvent("."))
	}
}

// testTap taps on the only operation. Its details are in a sheet at the bottom of the
// screen.
func testTap(t *testing.T, p *page) {
	_, top, width, _ := p.box("#lanes")
	at := [2]float64{width * 0.6, top + 10}
	p.after(touch(touchStart, at), touch(touchEnd))
	p.screenshot("tap")
	x, y, width, height := p.box("#details")
	if x != 0 || width != float64(phone.width) || math.Abs(y+height-float64(phone.height)) > 1 {
		t.Errorf("the sheet is at %v, %v and %v by %v; want the bottom of the screen", x, y, width, height)
	}
	p.after(click("#details .close"))
	if !eval[bool](p, "document.querySelector('#details').hidden") {
		t.Error("the sheet does not close")
	}
}

func testKeys(t *testing.T, p *page) {
	p.after(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	from, _ := p.span()
	p.after(chromedp.KeyEvent(kb.ArrowRight))
	if right, _ := p.span(); right <= from {
		t.Errorf("the right arrow moves from %.0f to %.0f", from, right)
	}
	p.after(press("/"))
	if got := eval[string](p, "document.activeElement.id + document.activeElement.value"); got != "search" {
		t.Errorf("/ goes to %q; want the empty search", got)
	}
	p.after(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("."), chromedp.KeyEvent("."))
	first := eval[string](p, "document.querySelector('#details').dataset.item")
	p.analysed(chromedp.KeyEvent("."), chromedp.KeyEvent(kb.Enter))
	if next := eval[string](p, "document.querySelector('#details').dataset.item"); next == first {
		t.Errorf("a full stop stays at operation %s", first)
	}
	p.screenshot("chosen")
	p.after(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("?"))
	p.screenshot("help")
	if !eval[bool](p, "document.querySelector('#helpText').open") {
		t.Error("? shows no help")
	}
}

// press presses a key as a keyboard does: its letter appears unless the page prevents it.
func press(key string) action {
	return command(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key})
}

func testTheme(t *testing.T, p *page) {
	background := "getComputedStyle(document.body).backgroundColor"
	const white, black = "rgb(255, 255, 255)", "rgb(20, 23, 28)"
	expect := func(what, want string) {
		t.Helper()
		if got := eval[string](p, background); got != want {
			t.Errorf("%s has background %s; want %s", what, got, want)
		}
		// The corner of the canvas: its colour is from the script, not from the styles.
		x, y, _, _ := p.box("#lanes")
		if got := p.colourAt(x+2, y+2); got != want {
			t.Errorf("%s has lanes of background %s; want %s", what, got, want)
		}
	}
	p.after(prefer("dark"))
	expect("a dark system", black)
	p.after(prefer("light"))
	expect("a light system", white)
	p.after(chromedp.KeyEvent("t"), prefer("dark")) // light, whatever the system has
	expect("light", white)
	p.after(click("#theme"), prefer("light"))
	expect("dark", black)
}

// colourAt returns the colour of a pixel, in the notation of the styles.
func (p *page) colourAt(x, y float64) string {
	picture, err := png.Decode(bytes.NewReader(get(p, chromedp.CaptureScreenshot())))
	if err != nil {
		p.Fatal(err)
	}
	r, g, b, _ := picture.At(int(x), int(y)).RGBA()
	return fmt.Sprintf("rgb(%d, %d, %d)", r>>8, g>>8, b>>8)
}

func testWidth(t *testing.T, p *page, name string, w window) {
	for _, scheme := range []string{"light", "dark"} {
		p.analysed(prefer(scheme), chromedp.KeyEvent("+"))
		p.screenshot(name + "-" + scheme)
		p.run(script("scrollTo(0, document.body.scrollHeight)"))
		p.screenshot(name + "-" + scheme + "-end")
		p.run(script("scrollTo(0, 0)"))
	}
	p.after(script("document.querySelector('#filters').open = true"))
	p.screenshot(name + "-filters")
	testInside(t, p, w)
	for _, dialog := range []string{"help", "about"} {
		p.run(click("#" + dialog))
		p.screenshot(name + "-" + dialog)
		testInside(t, p, w)
		if top := eval[float64](p, "document.querySelector('dialog[open]').scrollTop"); top != 0 {
			t.Errorf("the dialog of %s begins %v pixels above the window", dialog, top)
		}
		p.run(script("document.querySelector('dialog[open]').close()"))
	}
	opened := eval[string](p, "document.body.dataset.opened")
	t.Logf("%d operations were drawn %s ms after the page was asked for; a frame takes %s ms", p.shown(), opened, eval[string](p, "document.body.dataset.took"))
}

// testInside checks that no element with text extends beyond the window, or is cut off.
func testInside(t *testing.T, p *page, w window) {
	t.Helper()
	if wide := eval[int64](p, "document.documentElement.scrollWidth"); wide > w.width {
		t.Errorf("the page is %d pixels wide in a window of %d", wide, w.width)
	}
	out := eval[[]string](p, "[...document.querySelectorAll('button, label, select, input, h2, h3, output, dd')].filter((e) => e.offsetParent && (e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1)).map((e) => e.outerHTML.slice(0, 80))")
	if len(out) > 0 {
		t.Errorf("these reach out of the window: %q", out)
	}
}
