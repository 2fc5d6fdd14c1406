package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/fix"
)

// fixProgress shows what `sluice fix` or `sluice test --stress` is doing: in one line of a
// terminal, or in a line now and then where the run takes long.
type fixProgress struct {
	w        io.Writer
	tests    bool // of `sluice test --stress`
	terminal bool

	mu    sync.Mutex
	step  fix.Step
	since time.Time // of the step's first number
	next  time.Time // of the next line
	shown bool      // a line is on the terminal
}

// patience is how long a run prints no line into a file. Then there is one in each interval.
// Scripts of tests have more patience: they expect no line, however busy the machine is.
var patience = 5 * time.Second

const (
	interval = 10 * time.Second
	redraw   = 100 * time.Millisecond // of the line on a terminal
)

func newFixProgress(w io.Writer, now time.Time) *fixProgress {
	p := &fixProgress{w: w, terminal: cli.IsTerminal(w) && os.Getenv("TERM") != "dumb"}
	if !p.terminal {
		p.next = now.Add(patience)
	}
	return p
}

// start returns a function that takes steps, and one that ends the progress. Between them the
// last step is shown again each second, in case it takes long.
func (p *fixProgress) start() (step func(fix.Step), end func()) {
	tick := time.NewTicker(time.Second)
	done := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() {
		for {
			select {
			case now := <-tick.C:
				p.show(now)
			case <-done:
				return
			}
		}
	})
	return func(s fix.Step) { p.take(s, time.Now()) }, func() {
		tick.Stop()
		close(done)
		showing.Wait()
		p.clear()
	}
}

// take takes a step. What is new is shown at once on a terminal.
func (p *fixProgress) take(s fix.Step, now time.Time) {
	p.mu.Lock()
	if s.Doing != p.step.Doing {
		p.since = now
		if p.terminal {
			p.next = now
		}
	}
	p.step = s
	p.mu.Unlock()
	p.show(now)
}

// show prints the step, unless the last line is too young.
func (p *fixProgress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step.Doing == "" || now.Before(p.next) {
		return
	}
	text := p.step.Doing
	if p.step.Of > 0 {
		text = fmt.Sprintf("%s: %d of %d", text, p.step.Done, p.step.Of)
	}
	if spent := now.Sub(p.since); spent >= time.Second {
		text += fmt.Sprintf(", %s", spent.Truncate(time.Second))
	}
	text = report.Printable(text)
	if !p.terminal {
		p.next = now.Add(interval)
		if p.tests {
			fmt.Fprintf(p.w, "sluice: test: %s\n", text)
			return
		}
		fmt.Fprintf(p.w, "sluice: fix: %s\n", text)
		return
	}
	p.next, p.shown = now.Add(redraw), true
	line := []rune(text)
	line = line[:min(len(line), max(cli.Columns(p.w)-1, 0))] // a full line would wrap
	fmt.Fprintf(p.w, "\r\x1b[K%s", string(line))
}

// clear removes the line from the terminal.
func (p *fixProgress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
