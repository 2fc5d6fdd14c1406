package viewer

import (
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sluiceio/sluice/internal/tracepage"
	"github.com/sluiceio/sluice/internal/tracepage/synthetic"
)

// BenchmarkOpen opens the page of 200,000 operations, and moves in it. It reports the time
// from the request of the page until it is drawn, and the script's median time for a frame.
func BenchmarkOpen(b *testing.B) {
	browser := startBrowser(b)
	tr := synthetic.Trace(1, 200_000)
	for b.Loop() {
		p := open(b, browser, tr, desk)
		b.ReportMetric(number64(p, "document.body.dataset.opened"), "ms/open")
		var frames []float64
		for _, key := range "++++----++++----" {
			p.after(chromedp.KeyEvent(string(key)))
			frames = append(frames, number64(p, "document.body.dataset.took"))
		}
		slices.Sort(frames)
		b.ReportMetric(frames[len(frames)/2], "ms/frame")
	}
}

func number64(p *page, expression string) float64 {
	v, err := strconv.ParseFloat(eval[string](p, expression), 64)
	if err != nil {
		p.Fatal(err)
	}
	return v
}

// BenchmarkWrite makes the page of 200,000 operations.
func BenchmarkWrite(b *testing.B) {
	tr := synthetic.Trace(1, 200_000)
	for b.Loop() {
		if err := tracepage.Write(io.Discard, tr, "bench"); err != nil {
			b.Fatal(err)
		}
	}
}
