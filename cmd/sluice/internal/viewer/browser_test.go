package viewer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/tracepage"
	"github.com/sluiceio/sluice/trace"
)

// patience is how long a test waits for the browser before it fails.
const patience = 3 * time.Minute

// startBrowser starts Chromium without a window. It skips the test if there is no
// Chromium. The browser ends with the test.
func startBrowser(t testing.TB) context.Context {
	t.Helper()
	options := chromedp.DefaultExecAllocatorOptions[:]
	options = append(options, chromedp.ExecPath(findBrowser(t)), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	return ctx
}

func findBrowser(t testing.TB) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	skip.For(t, skip.Chromium, "needs Chromium: apt-get install chromium")
	return ""
}

// page is a page in a tab of a browser.
type page struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string // what the console and the network have to say
}

// window is a size in CSS pixels.
type window struct {
	width, height int64
	touch         bool
}

var (
	desk   = window{1280, 900, false}
	narrow = window{400, 900, false} // of a desktop, without a finger
	phone  = window{390, 844, true}
)

// open opens the page of tr from a file, and waits until it is drawn.
func open(t testing.TB, browser context.Context, tr *trace.Trace, w window) *page {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := tracepage.Write(f, tr, "synthetic.trace"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return openURL(t, browser, "file://"+name, w)
}

// openURL opens a page. The test fails at its end if the page has logged anything, or
// requested anything but itself.
func openURL(t testing.TB, browser context.Context, url string, w window) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	file, _, _ := strings.Cut(url, "#")
	p := &page{TB: t, ctx: ctx}
	t.Cleanup(p.checkProblems)
	if err := chromedp.Listen(ctx, func(event any) { p.note(event, file) }); err != nil {
		t.Fatal(err)
	}
	p.run(command(network.Enable, network.EnableParams{}), w.emulate(), chromedp.Navigate(url))
	p.wait("document.body.dataset.opened ?? document.body.dataset.failed")
	if eval[bool](p, "document.body.dataset.failed !== undefined") {
		t.Fatal(eval[string](p, "document.body.dataset.failed"))
	}
	return p
}

// action is something that a browser does.
type action = chromedp.Action[chromedp.Void]

// command is a command of the protocol, as an action.
func command[P, R any](c cdp.Command[P, R], params P) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// script runs a statement in the page.
func script(text string) action { return chromedp.Evaluate[chromedp.Void](text) }

// click clicks on an element.
func click(selector string) action { return chromedp.Click(chromedp.CSS(selector)) }

func (w window) emulate() action {
	if w.touch {
		return chromedp.EmulateViewport(w.width, w.height, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2))
	}
	return chromedp.EmulateViewport(w.width, w.height)
}

func (p *page) note(event any, url string) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		text = fmt.Sprintf("console.%s: %v", e.Type, e.Args)
	case *log.EventEntryAdded:
		text = fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; u != url && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
			text = "request of " + u
		}
	}
	if text != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.problems = append(p.problems, text)
	}
}

func (p *page) checkProblems() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.problems {
		p.Errorf("the page says: %s", text)
	}
}

func (p *page) run(actions ...action) {
	p.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// get runs an action, and returns its result.
func get[T any](p *page, a chromedp.Action[T]) T {
	p.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		p.Fatal(err)
	}
	return v
}

// wait waits until an expression is true.
func (p *page) wait(expression string) {
	p.Helper()
	get(p, chromedp.Poll[any](expression, chromedp.WithPollingInterval(10*time.Millisecond), chromedp.WithPollingTimeout(patience)))
}

// eval returns the value of an expression.
func eval[T any](p *page, expression string) T {
	p.Helper()
	return get(p, chromedp.Evaluate[T](expression))
}

// after runs actions, and waits for a frame that is drawn after them.
func (p *page) after(actions ...action) {
	p.Helper()
	p.run(actions...)
	p.run(chromedp.Evaluate[chromedp.Void]("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))", chromedp.EvalAwaitPromise))
}

// analysed runs actions, and waits until the latencies of the operations in view have been
// computed.
func (p *page) analysed(actions ...action) {
	p.Helper()
	p.after(actions...)
	p.wait("document.body.dataset.analysed === document.body.dataset.version")
}

// shown returns the number of operations that pass the filters.
func (p *page) shown() int {
	p.Helper()
	n, err := strconv.Atoi(eval[string](p, "document.body.dataset.shown"))
	if err != nil {
		p.Fatal(err)
	}
	return n
}

// span returns the time span of the lanes, in nanoseconds.
func (p *page) span() (from, to float64) {
	p.Helper()
	v := eval[[]float64](p, "[Number(document.body.dataset.from), Number(document.body.dataset.to)]")
	return v[0], v[1]
}

// box returns the position and size of an element.
func (p *page) box(selector string) (x, y, width, height float64) {
	p.Helper()
	b := eval[[]float64](p, fmt.Sprintf("(() => { const b = document.querySelector(%q).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()", selector))
	return b[0], b[1], b[2], b[3]
}

// screenshot saves a screenshot of the tab in the directory SLUICE_ARTIFACTS, if that is set.
func (p *page) screenshot(name string) {
	p.Helper()
	dir := os.Getenv("SLUICE_ARTIFACTS")
	if dir == "" {
		return
	}
	png := get(p, chromedp.CaptureScreenshot())
	if err := os.MkdirAll(dir, 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666); err != nil {
		p.Fatal(err)
	}
}

// prefer sets the system's colour scheme, dark or light.
func prefer(scheme string) action {
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// move moves the mouse.
func move(x, y float64) action { return chromedp.MouseEvent(chromedp.MouseMoved, x, y) }

// wheel turns the mouse's wheel.
func wheel(x, y, by float64) action {
	return chromedp.MouseEvent(chromedp.MouseWheel, x, y, func(e *input.DispatchMouseEventParams) {
		e.DeltaX, e.DeltaY = 1e-9, by // a field that is 0 is left out, and missed
	})
}

// drag presses the mouse's button, moves the mouse, and releases the button.
func drag(x0, y0, x1, y1 float64, keys ...chromedp.Modifier) []action {
	button := func(e *input.DispatchMouseEventParams) {
		e.Button, e.Buttons, e.ClickCount = input.MouseButtonLeft, 1, 1
		chromedp.ButtonModifiers(keys...)(e)
	}
	return []action{
		move(x0, y0), chromedp.MouseEvent(chromedp.MousePressed, x0, y0, button),
		chromedp.MouseEvent(chromedp.MouseMoved, (x0+x1)/2, (y0+y1)/2, button), chromedp.MouseEvent(chromedp.MouseMoved, x1, y1, button),
		chromedp.MouseEvent(chromedp.MouseReleased, x1, y1, button),
	}
}

const (
	touchStart = input.DispatchTouchEventTypeTouchStart
	touchMove  = input.DispatchTouchEventTypeTouchMove
	touchEnd   = input.DispatchTouchEventTypeTouchEnd
)

// touch puts fingers on the screen, moves them, or lifts them.
func touch(kind input.DispatchTouchEventType, points ...[2]float64) action {
	fingers := []*input.TouchPoint{}
	for i, p := range points {
		id := float64(i)
		fingers = append(fingers, &input.TouchPoint{X: p[0], Y: p[1], ID: &id})
	}
	return command(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: fingers})
}
