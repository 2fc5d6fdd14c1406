// Package crowd has many goroutines read a slow file at once, each a page of its
// own, in a process of its own: one side of it may well die of that.
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

// page is what each goroutine reads.
const page = 4 << 10 // 4 KiB

// Job is what a process does.
type Job struct {
	Path       string    `json:"path"`
	Side       load.Side `json:"side"` // by os.File, or by sluice.File
	Direct     bool      `json:"direct"`
	Goroutines int       `json:"goroutines"`
	// Beside is a file on another disk that is read meanwhile; the Job ends when
	// that has been done. Without a path there is none.
	Beside Beside `json:"beside,omitzero"`
	Rings  int    `json:"rings,omitempty"` // sluice.Options.Rings
}

// Size is how large the file of a Job has to be.
func Size(goroutines int) int64 { return int64(goroutines) * page }

// report is what a process that has lived says of itself.
type report struct {
	Elapsed time.Duration `json:"elapsed"`
	// Stacks is the most memory that goroutines had for their stacks, and
	// Buffers what they read into; in bytes.
	Stacks  int64  `json:"stacks"`
	Buffers int64  `json:"buffers"`
	Explain string `json:"explain,omitempty"` // sluice's
	// Peak is what it had when all was read, threads and the most memory: who
	// looks from outside may have looked too early.
	Peak  program.Peak `json:"peak"`
	Other Other        `json:"other,omitzero"`
}

// file is what both sides have.
type file interface {
	ReadAt(b []byte, off int64) (int, error)
	Close() error
}

// Serve is the process: it reads a Job from r, which is the sign to begin, does
// it, and writes to w what there is to say.
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

// open opens the file, with a Scheduler if that is sluice's.
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

// read lets all goroutines go at once, and waits for the last.
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

// offset gives each goroutine a page that is far from its neighbour's.
func (j Job) offset(g int) int64 {
	const prime = 7919
	return int64(g) * prime % int64(j.Goroutines) * page
}
