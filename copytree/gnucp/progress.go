package gnucp

import (
	"context"
	"sync"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/report"
)

const (
	// tickEvery is the shortest time between two drawings of the progress line.
	tickEvery = 100 * time.Millisecond
	// quietFor is how long a copy runs before the line is shown: on a short copy it would only
	// flicker. --progress skips it.
	quietFor = 500 * time.Millisecond
)

// watcher shows the progress of a copy until stop is called.
type watcher struct {
	screen   *screen
	progress *report.Progress
	quiet    time.Duration
	started  time.Time
	rates    rates
	count    func(context.Context, *census) // counts the files to copy
	census   census
	counting bool // whether count was started; only run uses it

	done  chan struct{}
	wg    sync.WaitGroup
	peaks bool // whether it counts threads
	peak  int  // the most threads; only run uses it until wg is done
}

// watch starts a watcher. It starts count in a goroutine before it shows the first line. With peaks
// it also counts threads. Without a terminal and without peaks it does nothing.
func watch(s *screen, p *report.Progress, quiet time.Duration, peaks bool, count func(context.Context, *census)) *watcher {
	w := &watcher{screen: s, progress: p, quiet: quiet, count: count, started: time.Now(), done: make(chan struct{}), peaks: peaks}
	if s.terminal != nil || peaks {
		w.rates.add(w.started, state{})
		w.wg.Go(w.run)
	}
	return w
}

func (w *watcher) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			w.tick(ctx, now)
		case <-w.done:
			w.countThreads()
			return
		}
	}
}

func (w *watcher) tick(ctx context.Context, now time.Time) {
	w.countThreads()
	state := read(w.progress, &w.census)
	w.rates.add(now, state)
	if w.screen.terminal == nil || now.Sub(w.started) < w.quiet {
		return
	}
	if !w.counting {
		w.counting = true
		w.wg.Go(func() { w.count(ctx, &w.census) })
	}
	w.screen.line(state.line(&w.rates, w.screen.terminal.width()))
}

func (w *watcher) countThreads() {
	if w.peaks {
		w.peak = max(w.peak, threads())
	}
}

// stop ends the watcher, and returns the largest number of threads.
func (w *watcher) stop() int {
	close(w.done)
	w.wg.Wait()
	return w.peak
}
