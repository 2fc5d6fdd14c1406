package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// reportPage is the page of a report in Chromium.
type reportPage struct {
	testing.TB
	ctx context.Context
}

// openReport makes the report of bench's test data and opens it. It skips the test if there is no
// Chromium.
func openReport(t *testing.T, width, height int64) *reportPage {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		skip.For(t, skip.Chromium, "needs Chromium: apt-get install chromium")
	}
	dir := filepath.Join(t.TempDir(), "report")
	if out, err := exec.Command("sluice", "bench", "report", "../../../bench/pictures/testdata/run.json", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	options := chromedp.DefaultExecAllocatorOptions[:]
	options = append(options, chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WSURLReadTimeout(3*time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	p := &reportPage{t, ctx}
	p.run(chromedp.EmulateViewport(width, height), chromedp.Navigate("file://"+filepath.Join(dir, "index.html")))
	return p
}

func (p *reportPage) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, stop := context.WithTimeout(p.ctx, 3*time.Minute)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// inReport returns the value of an expression in the page.
func inReport[T any](p *reportPage, expression string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatal(err)
	}
	return v
}

// TestReportSort sorts the numbers of an experiment by a click and by a key.
func TestReportSort(t *testing.T) {
	p := openReport(t, 1400, 900)
	const table = "document.querySelector('#rand-depth table')"
	inReport[any](p, "document.querySelector('#rand-depth details').open = true")
	column := func(n int) []string {
		return inReport[[]string](p, fmt.Sprintf("[...%s.tBodies[0].rows].map((row) => row.cells[%d].textContent)", table, n))
	}
	state := func() string {
		return inReport[string](p, table+".tHead.rows[0].cells[2].getAttribute('aria-sort') ?? 'none'")
	}
	first := column(2)
	button := chromedp.CSS("#rand-depth th:nth-child(3) button")
	p.run(chromedp.Click(button))
	up := column(2)
	if state() != "ascending" || slices.Equal(up, first) {
		t.Errorf("a click leaves %q as they were (%s)", up, state())
	}
	rates := inReport[[]float64](p, table+" && [..."+table+".tBodies[0].rows].map((row) => value(row.cells[2])).filter((v) => v !== null)")
	if !slices.IsSorted(rates) || len(rates) < 2 || rates[0] == rates[len(rates)-1] {
		t.Errorf("rates are %v; want them to grow", rates)
	}
	p.run(chromedp.Focus(button), chromedp.KeyEvent("\r"))
	down := inReport[[]float64](p, "[..."+table+".tBodies[0].rows].map((row) => value(row.cells[2])).filter((v) => v !== null)")
	slices.Reverse(down)
	if state() != "descending" || !slices.IsSorted(down) {
		t.Errorf("after the key the rates are %v (%s); want them to fall", down, state())
	}
	p.run(chromedp.KeyEvent("\r"))
	if got := column(2); state() != "none" || !slices.Equal(got, first) {
		t.Errorf("after the third time they are %q (%s); want %q", got, state(), first)
	}
}

// TestReportValues checks how the texts of cells are read as numbers.
func TestReportValues(t *testing.T) {
	p := openReport(t, 1400, 900)
	for text, want := range map[string]string{
		"1.25": "1.25", "1.25-1.40": "1.25", "987": "987", "20.4k ops/s": "20400", "1.5 GiB": "1610612736", "512 B": "512",
		"500ms": "0.5", "1m2.5s": "62.5", "12.5 an op": "12.5", "250 MB/s": "250000000", ">999": "999", "-": "null", "": "null",
		"read-direct/4k/16": `"read-direct/4k/16"`, "os.File": `"os.File"`, "12 us": "0.000012", "4096": "4096",
	} {
		got := inReport[string](p, fmt.Sprintf("JSON.stringify(value(Object.assign(document.createElement('td'), { textContent: %q })))", text))
		if got != want {
			t.Errorf("%q is sorted as %s; want %s", text, got, want)
		}
	}
}

// TestReportHover checks that a mark of a picture and a cell of the table show their values.
func TestReportHover(t *testing.T) {
	p := openReport(t, 1400, 900)
	for selector, want := range map[string]string{
		".heat td.ahead": "read-direct, 4 KiB, 1 goroutine\nsluice to os.File: 1.25 (ahead)",
		"#overview .wide .chart g:last-child > .point:last-child .hit": "sluice\ngoroutines: 256\n",
	} {
		at := inReport[[]float64](p, fmt.Sprintf("(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()", selector))
		for !inReport[bool](p, "!tip.hidden && tip.textContent !== ''") {
			// The scrolling, which hides it, may not have ended.
			p.run(chromedp.MouseEvent(chromedp.MouseMoved, at[0]+1, at[1]), chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
		}
		if got := inReport[string](p, "tip.textContent"); !strings.HasPrefix(got, want) {
			t.Errorf("over %s the tip is %q; want it to begin with %q", selector, got, want)
		}
		p.run(chromedp.MouseEvent(chromedp.MouseMoved, 1, 1))
	}
}

// TestReportScreens checks that the page fits each screen, follows the colour scheme, and that the
// first screen has the verdict and the table.
func TestReportScreens(t *testing.T) {
	p := openReport(t, 1400, 900)
	for _, size := range [][2]int64{{1400, 900}, {800, 600}, {400, 800}} {
		p.run(chromedp.EmulateViewport(size[0], size[1]))
		if width := inReport[float64](p, "document.documentElement.scrollWidth"); width > float64(size[0]) {
			t.Errorf("at %d pixels the page is %g wide", size[0], width)
		}
		if top := inReport[float64](p, "document.querySelector('.heat td').getBoundingClientRect().bottom"); top > float64(size[1]) {
			t.Errorf("at %d x %d the first cell of the table is at %g", size[0], size[1], top)
		}
		if n := inReport[float64](p, "[...document.querySelectorAll('#overview .panels')].filter((e) => e.checkVisibility()).length"); n != 1 {
			t.Errorf("at %d pixels %g variants of a picture are visible; want 1", size[0], n)
		}
	}
	colours := make(map[string]string)
	for _, scheme := range []string{"light", "dark"} {
		p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			return err
		}))
		colours[scheme] = inReport[string](p, `["body", ".chart .title", ".chart .line", ".heat td.ahead"].map((s) => { const c = getComputedStyle(document.querySelector(s)); return [c.color, c.backgroundColor, c.fill, c.stroke].join(); }).join(";")`)
	}
	if colours["light"] == colours["dark"] {
		t.Errorf("the colours are the same in both schemes: %s", colours["light"])
	}
}
