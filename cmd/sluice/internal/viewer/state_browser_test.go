package viewer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/sluiceio/sluice/trace"
)

// item returns what the details are about: "op 5", "call 2", or "".
func (p *page) item() string {
	p.Helper()
	return eval[string](p, `(() => { const { hidden, dataset: d } = document.querySelector("#details"); return hidden ? "" : d.item !== undefined ? "op " + d.item : d.call !== undefined ? "call " + d.call : ""; })()`)
}

// links returns where the links of the details lead to.
func (p *page) links() string {
	p.Helper()
	return eval[string](p, `[...document.querySelectorAll("#details .link")].map((b) => b.dataset.to).join()`)
}

// follow clicks on a link of the details.
func (p *page) follow(to string) {
	p.Helper()
	p.analysed(script(fmt.Sprintf("document.querySelector('#details [data-to=%q]').click()", to)))
}

// testLinks goes from an operation to its system call, from that to another operation of the
// batch, and back through the browser's history.
func testLinks(t *testing.T, p *page) {
	p.analysed(chromedp.KeyEvent("."))
	if got, want := p.item()+": "+p.links(), "op 0: call 0,op 1,op 2"; got != want {
		t.Fatalf("the first operation has the links %q; want %q", got, want)
	}
	p.screenshot("links-op")
	p.follow("call 0")
	if got, want := p.item()+": "+p.links(), "call 0: op 0,op 1,op 2"; got != want {
		t.Errorf("its system call has the links %q; want %q", got, want)
	}
	if way := eval[string](p, "document.querySelector('#lanesBy :checked').value"); way != "ring" {
		t.Errorf("the lanes are by %s; want ring, which shows the call", way)
	}
	p.screenshot("links-call")
	p.follow("op 2")
	if got, want := p.item()+": "+p.links(), "op 2: call 0,op 0,op 1"; got != want {
		t.Errorf("the third operation has the links %q; want %q", got, want)
	}
	p.run(script("history.back()"))
	p.wait(`document.querySelector("#details").dataset.call === "0"`)
	p.run(script("history.back()"))
	p.wait(`document.querySelector("#details").dataset.item === "0"`)
	if got := eval[string](p, "document.querySelector('#lanesBy :checked').value"); got != "goroutine" {
		t.Errorf("back at the operation the lanes are by %s; want goroutine", got)
	}
	// A call that only waits has no operations, a plain system call no call of a driver.
	for link, want := range map[string]string{"#call=1": "call 1: ", "#op=5": "op 5: ", "#op=4": "op 4: op 3"} {
		p.run(script("location.hash = " + fmt.Sprintf("%q", link)))
		what, _, _ := strings.Cut(want, ":")
		kind, n, _ := strings.Cut(what, " ")
		p.wait(fmt.Sprintf(`document.querySelector("#details").dataset[%q] === %q`, map[string]string{"op": "item", "call": "call"}[kind], n))
		if got := p.item() + ": " + p.links(); got != want {
			t.Errorf("%s shows %q; want %q", link, got, want)
		}
	}
	// A filter that hides the operation gives way to a link to it.
	p.run(script("location.hash = '#call=0'"))
	p.wait(`document.querySelector("#details").dataset.call === "0"`)
	p.analysed(typed("fsync"), script("void 0"))
	p.run(script("document.querySelector('#details').hidden || document.querySelector('#details [data-to=\"op 1\"]').click()"))
	p.wait(`document.querySelector("#details").dataset.item === "1" && document.body.dataset.shown === "600"`)
}

// testState checks that the URL shows again what the page showed, in a new page.
func testState(t *testing.T, p *page, tr *trace.Trace, again func(fragment string) *page) {
	if got := eval[string](p, "location.hash"); got != "" {
		t.Errorf("the URL of an untouched page has %q; want nothing", got)
	}
	p.analysed(append(choose("#file", 1), typed("read latency>20us"), click("#lanesBy label:has([value=file])"), click("#order label:has([value=p99])"),
		click("#colourBy label:has([value=path])"), click("#kinds input[value='2']"))...)
	p.analysed(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"), chromedp.KeyEvent("."))
	hash := eval[string](p, "location.hash")
	for _, part := range []string{"from=", "to=", "lanes=file", "order=p99", "colour=path", "kinds=2", "file=1", "q=read+latency%3E20us", "op="} {
		if !strings.Contains(hash, part) {
			t.Errorf("the URL has %q; want %s in it", hash, part)
		}
	}
	q := again(hash)
	from, to := p.span()
	from2, to2 := q.span()
	if math.Abs(from-from2) > 1 || math.Abs(to-to2) > 1 || p.shown() != q.shown() || p.item() != q.item() || p.item() == "" {
		t.Errorf("the URL shows %v to %v, %d, %q; want %v to %v, %d, %q", from2, to2, q.shown(), q.item(), from, to, p.shown(), p.item())
	}
	if got := eval[string](q, "[...document.querySelectorAll('.segments :checked')].map((b) => b.value).join()"); got != "file,p99,path" {
		t.Errorf("the URL chooses %s; want file,p99,path", got)
	}
	q.analysed()
	if x, y, width, height := q.box("#details"); x < 0 || y < 0 || x+width > float64(desk.width) || y+height > float64(desk.height) {
		t.Errorf("the details are at %v, %v, %v by %v; want them on the screen", x, y, width, height)
	}
	if got := eval[string](q, "location.hash"); got != hash {
		t.Errorf("the URL becomes %q; want it to stay %q", got, hash)
	}
	q.analysed(click("#reset"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("1"), click("#order label:has([value=name])"), click("#colourBy label:has([value=operation])"))
	if got := eval[string](q, "location.hash"); got != "" {
		t.Errorf("after all is reset the URL has %q; want nothing", got)
	}
	// What is wrong or of another trace does no harm.
	for _, wrong := range []string{"#from=9&to=1", "#from=x&to=1e999", "#op=999999&call=-1&lanes=moon&order=&kinds=z&file=77&class=9", "#%zz=&&&", "#q=latency%3Efast"} {
		q.run(script(fmt.Sprintf("location.hash = %q", wrong)))
		q.analysed()
		if q.shown() != len(tr.Ops) || q.item() != "" {
			t.Errorf("%s shows %d operations and %q; want all, and none chosen", wrong, q.shown(), q.item())
		}
	}
}

// testOrder checks that lanes are sorted by p99, the slowest first, in each way of making lanes.
func testOrder(t *testing.T, browser func(names []string, expression string) []float64) {
	got := browser([]string{"format", "palette", "tracks", "links", "raster", "details", "lanes"}, `(() => {
		const times = { a: [5, 1], b: [9, 9, 9], c: [7], d: [0] }, ops = { queued: [], woken: [], latency: [], kind: [], file: [], labelOf: [], result: [] };
		Object.values(times).forEach((list, file) => list.forEach((v) => {
			ops.queued.push(ops.queued.length * 10);
			ops.woken.push(ops.queued.at(-1) + v);
			ops.latency.push(v);
			ops.kind.push(v === 1 ? 1 : 0);
			ops.file.push(file);
			ops.result.push(0);
		}));
		const lanes = Object.assign(Object.create(Lanes.prototype), { trace: { ops, files: ["a", "b", "c", "d"], kinds: ["read", "fsync"] }, colour() {}, measure() {} });
		lanes.arrange("file", "kind", ops.queued.map((_, i) => i), "p99");
		const sorted = lanes.list.flatMap((l) => ["abcd".indexOf(l.short), l.p99, l.rows]);
		lanes.arrange("file", "kind", ops.queued.map((_, i) => i), "name");
		return [...sorted, -1, ...lanes.list.map((l) => "abcd".indexOf(l.short))];
	})()`)
	// File a has a row for its fsync, which does not overlap.
	want := []float64{1, 9, 1, 2, 7, 1, 0, 5, 2, 3, 0, 1, -1, 0, 1, 2, 3}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lanes (file, p99, rows) are %v; want %v", got, want)
	}
}

// testLabels checks that goroutines with labels have them as their names, and that a search finds
// them.
func testLabels(t *testing.T, p *page, tr *trace.Trace) {
	p.analysed(typed("role=writer"))
	if !eval[bool](p, "document.querySelector('#searchError').hidden") {
		t.Error("a label with an equals sign is said to be wrong")
	}
	want := amount(tr, func(o *trace.Op) bool { return o.Label == 2 })
	if got := p.shown(); got != want {
		t.Errorf("a search for a label shows %d; want %d", got, want)
	}
	p.analysed(chromedp.KeyEvent("."))
	if text := eval[string](p, "document.querySelector('#details').innerText"); !strings.Contains(text, "role=writer") {
		t.Errorf("the details do not name the labels: %q", text)
	}
}
