package main

import (
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/internal/fix"
)

// TestFixProgress gives steps at made-up times. A short run prints nothing into a file, and a
// long one a line in each interval.
func TestFixProgress(t *testing.T) {
	var out strings.Builder
	start := time.Unix(0, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	p := newFixProgress(&out, start)
	p.take(fix.Step{Doing: "listing"}, at(0))
	p.show(at(4.9))
	p.clear()
	if out.String() != "" {
		t.Errorf("after 4.9 s there is %q; want nothing", out.String())
	}
	p.take(fix.Step{Doing: "checking", Done: 3, Of: 7}, at(5))
	p.take(fix.Step{Doing: "checking", Done: 4, Of: 7}, at(14))
	p.show(at(15.5))
	want := "sluice: fix: checking: 3 of 7\nsluice: fix: checking: 4 of 7, 10s\n"
	if out.String() != want {
		t.Errorf("there is %q; want %q", out.String(), want)
	}

	out.Reset()
	p = &fixProgress{w: &out, terminal: true}
	p.take(fix.Step{Doing: "listing"}, at(0))
	p.take(fix.Step{Doing: "checking", Done: 1, Of: 200}, at(0.01))
	p.take(fix.Step{Doing: "checking", Done: 2, Of: 200}, at(0.02)) // too soon
	p.take(fix.Step{Doing: strings.Repeat("long ", 40)}, at(1))
	p.clear()
	p.clear()
	const line = "\r\x1b[K"
	want = line + "listing" + line + "checking: 1 of 200" + line + strings.Repeat("long ", 16)[:79] + line
	if out.String() != want {
		t.Errorf("on a terminal there is %q; want %q", out.String(), want)
	}
}
