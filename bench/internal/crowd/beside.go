package crowd

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice"
)

// Beside describes direct reads of another disk while the crowd waits for the slow one. They are
// Reads reads of a page, one after the other, of the file at Path, which has at least a page for
// each 1000 of them.
type Beside struct {
	Path  string `json:"path"`
	Reads int    `json:"reads"`
	// After is the number of the crowd's reads that end before these reads begin. By then all of
	// the crowd's goroutines have begun.
	After int `json:"after"`
	// Parked replaces the crowd's reads: its goroutines wait, and Parked of them are woken each
	// second, as if the slow disk had read for them. Then the other disk's reads show the cost of
	// the Go scheduler and the machine. With 0 the crowd reads.
	Parked int `json:"parked,omitempty"`
}

// Other is the result of the reads of the other disk.
type Other struct {
	Median  time.Duration `json:"median"`
	Longest time.Duration `json:"longest"`
	// Ended is the number of the crowd's reads that had ended at the end of the other reads. Rings
	// is the number of rings.
	Ended int `json:"ended"`
	Rings int `json:"rings"`
	// Stolen is how long the host took the machine's cores for other guests during the reads; 0 if
	// unknown.
	Stolen time.Duration `json:"stolen"`
}

// readBeside reads the other file while the crowd reads f. It does not wait for the crowd, because
// the process ends after these reads.
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

// wakeUps returns a channel that receives about second values a second.
func wakeUps(second int) <-chan struct{} {
	wake := make(chan struct{})
	go func() { // runs until the process ends
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
