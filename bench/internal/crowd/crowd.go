// Package crowd starts a process in which many goroutines read a slow file at once, each a
// different page. It is a separate process because with os.File the Go runtime may end it: too many
// threads.
package crowd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
)

// page is the size of the read of each goroutine.
const page = 4 << 10 // 4 KiB

// Job is the task of one process.
type Job struct {
	Path       string    `json:"path"`
	Side       load.Side `json:"side"` // os.File or sluice.File
	Direct     bool      `json:"direct"`
	Goroutines int       `json:"goroutines"`
	// Beside is a file on another disk that is read at the same time. The Job ends with its reads.
	// Without a path there are none.
	Beside Beside `json:"beside,omitzero"`
	Rings  int    `json:"rings,omitempty"` // sluice.Options.Rings
}

// Size returns the number of bytes that a Job's file must have.
func Size(goroutines int) int64 { return int64(goroutines) * page }

// report is the message of a living process to its parent.
type report struct {
	Elapsed time.Duration `json:"elapsed"`
	// Stacks is the peak of the memory of stacks. Buffers is the memory of the reads' buffers. Both
	// are in bytes.
	Stacks  int64  `json:"stacks"`
	Buffers int64  `json:"buffers"`
	Explain string `json:"explain,omitempty"` // of sluice
	// Peak is the number of threads and the peak of memory when all reads are done. The parent
	// samples them, too, but may miss the peak.
	Peak  program.Peak `json:"peak"`
	Other Other        `json:"other,omitzero"`
}

// file has the common method of both sides.
type file interface {
	ReadAt(b []byte, off int64) (int, error)
	Close() error
}

// Serve is the main function of the process. It waits for a Job on r, does it, and writes the
// report to w.
func Serve(r io.Reader, w io.Writer) error {
	var job Job
	if err := json.NewDecoder(r).Decode(&job); err != nil {
		return err
	}
	f, s, err := job.open()
	if err != nil {
		return err
	}
	if job.Beside.Path == "" {
		defer f.Close()
	}
	done, err := job.do(f, s)
	if err != nil {
		return err
	}
	if s != nil {
		done.Explain = s.Explain()
	}
	return json.NewEncoder(w).Encode(done)
}

// open opens the file. For sluice's side it makes a new Scheduler.
func (j Job) open() (f file, s *sluice.Scheduler, err error) {
	flag := os.O_RDONLY
	if j.Direct {
		flag |= openDirect
	}
	if j.Side.Way == load.ByOS {
		f, err := os.OpenFile(j.Path, flag, 0)
		return f, nil, err
	}
	s, err = sluice.NewScheduler(sluice.Options{Driver: j.Side.Driver, Rings: j.Rings})
	if err != nil {
		return nil, nil, err
	}
	f, err = s.OpenFile(j.Path, flag, 0)
	return f, s, err
}

// do does the job.
func (j Job) do(f file, s *sluice.Scheduler) (report, error) {
	if j.Beside.Path == "" {
		return j.read(f)
	}
	return j.readBeside(f, s)
}

// read starts all goroutines at once, and waits for the last one.
func (j Job) read(f file) (report, error) {
	slab, err := memory(j.Goroutines * page)
	if err != nil {
		return report{}, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stop := watchStacks()
	begin := make(chan struct{})
	var all sync.WaitGroup
	for g := range j.Goroutines {
		all.Go(func() {
			<-begin
			b := slab[g*page:][:page:page]
			if n, err := f.ReadAt(b, j.offset(g)); n != page {
				cancel(fmt.Errorf("read %d of %d bytes: %w", n, page, err))
			}
		})
	}
	start := time.Now()
	close(begin)
	all.Wait()
	done := report{Elapsed: time.Since(start), Buffers: int64(len(slab)), Stacks: stop(), Peak: program.Look(os.Getpid())}
	return done, context.Cause(ctx)
}

// offset returns the page of goroutine g. It is far from its neighbours' pages.
func (j Job) offset(g int) int64 {
	const prime = 7919
	return int64(g) * prime % int64(j.Goroutines) * page
}
