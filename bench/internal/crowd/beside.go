package crowd

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice"
)

// Beside is what is done on another disk while the crowd waits for the slow one:
// so many reads of a page each, one after the other, of the file of that path,
// which has at least a page for each 1000 of them. They are direct reads.
type Beside struct {
	Path  string `json:"path"`
	Reads int    `json:"reads"`
	// After is how many of the crowd's reads have ended before these begin. All of
	// its goroutines have begun by then.
	After int `json:"after"`
	// Parked has the crowd do no I/O: each of its goroutines waits to be woken, so
	// many a second, as those are that wait for the slow disk. 0 is that it reads.
	// What the other disk's reads take then is what the Go scheduler and the machine
	// make of it.
	Parked int `json:"parked,omitempty"`
}

// Other is how the reads of the other disk went.
type Other struct {
	Median  time.Duration `json:"median"`
	Longest time.Duration `json:"longest"`
	// Ended is how many reads of the crowd had ended when those were done, and
	// Rings how many rings there were.
	Ended int `json:"ended"`
	Rings int `json:"rings"`
	// Stolen is for how long the machine's cores were the host's meanwhile, as far
	// as it tells.
	Stolen time.Duration `json:"stolen"`
}

// readBeside reads the file beside, while the crowd reads f. It does not wait for
// the crowd: the process is to end.
func (j Job) readBeside(f file, s *sluice.Scheduler) (report, error) {
	other, err := j.openBeside(s)
	if err != nil {
		return report{}, err
	}
	slab, err := memory((j.Goroutines + 1) * page)
	if err != nil {
		return report{}, err
	}
	wait := func(g int) {
		if n, err := f.ReadAt(slab[g*page:][:page:page], j.offset(g)); n != page {
			fmt.Fprintf(os.Stderr, "read %d of %d bytes: %v\n", n, page, err)
			os.Exit(1)
		}
	}
	if j.Beside.Parked > 0 {
		wake := wakeUps(j.Beside.Parked)
		wait = func(int) { <-wake }
	}
	var begun, ended atomic.Int64
	for g := range j.Goroutines {
		go func() {
			begun.Add(1)
			wait(g)
			ended.Add(1)
		}()
	}
	for begun.Load() < int64(j.Goroutines) || ended.Load() < int64(j.Beside.After) {
		time.Sleep(time.Millisecond)
	}
	took := make([]time.Duration, j.Beside.Reads)
	start, stolen := time.Now(), stolenTime()
	for i := range took {
		before := time.Now()
		n, err := other.ReadAt(slab[j.Goroutines*page:], int64(i/1000)*page)
		if n != page {
			return report{}, fmt.Errorf("read %d of %d bytes of the other disk: %w", n, page, err)
		}
		took[i] = time.Since(before)
	}
	done := report{Elapsed: time.Since(start), Buffers: int64(len(slab))}
	done.Other.Ended, done.Other.Stolen = int(ended.Load()), stolenTime()-stolen
	slices.Sort(took)
	done.Other.Median, done.Other.Longest = took[len(took)/2], took[len(took)-1]
	if s != nil {
		done.Other.Rings = s.Stats().Rings
	}
	return done, nil
}

// wakeUps returns what so many values a second come from.
func wakeUps(second int) <-chan struct{} {
	wake := make(chan struct{})
	go func() { // for as long as the process
		for range time.Tick(10 * time.Millisecond) {
			for range max(1, second/100) {
				wake <- struct{}{}
			}
		}
	}()
	return wake
}

func (j Job) openBeside(s *sluice.Scheduler) (file, error) {
	if s == nil {
		return os.OpenFile(j.Beside.Path, os.O_RDONLY|openDirect, 0)
	}
	return s.OpenFile(j.Beside.Path, os.O_RDONLY|openDirect, 0)
}
