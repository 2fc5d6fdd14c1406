// Package fio performs loads by the program fio, which measures a disk. It answers Requests as a
// worker process of package load does, so that package duel can let fio take turns with the
// workers. Mixed is a separate job, for fio-expect.
//
// Each slice is a process of fio. The figures are fio's: operations, their time, and the processor
// time of the process that makes them. So they do not include starting and ending the process.
package fio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
)

// Install is the text that says how to get fio.
const Install = "fio is not installed; 'apt install fio' (Debian, Ubuntu) or 'dnf install fio' (Fedora) installs it"

// PlainPages is part of fio's description if fio lacks the huge pages that large requests need.
const PlainPages = "plain pages, which is slower"

// Runner performs the slices of one load.
type Runner struct {
	ctx   context.Context
	exe   string
	file  *os.File // to set the page cache; nil before Setup
	size  int64    // of the file
	setup load.Setup
	huge  *hugePages // nil if fio has none
}

// New returns a Runner. Its processes end when ctx does.
func New(ctx context.Context) *Runner { return &Runner{ctx: ctx} }

// Ask answers a request as load.Serve does.
func (r *Runner) Ask(req load.Request) (load.Reply, error) {
	switch {
	case req.Setup != nil && r.file == nil:
		return r.start(*req.Setup)
	case req.Slice != nil && r.file != nil:
		return r.slice(*req.Slice)
	}
	return load.Reply{}, errors.New("request out of turn")
}

// Stop releases the resources of Setup.
func (r *Runner) Stop() {
	r.huge.release()
	if r.file != nil {
		r.file.Close()
	}
}

func (r *Runner) start(s load.Setup) (load.Reply, error) {
	exe, err := exec.LookPath("fio")
	if err != nil {
		return load.Reply{Unsupported: Install}, nil
	}
	version, err := program.Command(r.ctx, exe, "--version").Output()
	if err != nil {
		return load.Reply{}, fmt.Errorf("--version: %w", err)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return load.Reply{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return load.Reply{}, errors.Join(err, f.Close())
	}
	r.exe, r.file, r.size, r.setup = exe, f, info.Size(), s
	memory := r.takeMemory()
	return load.Reply{Explain: fmt.Sprintf("%s %s%s", bytes.TrimSpace(version), describe(s), memory)}, nil
}

// takeMemory reserves huge pages for large requests, as sluice has them. It returns text for fio's
// description: whether there are huge pages, and if not, why.
func (r *Runner) takeMemory() string {
	l := r.setup.Load
	if l.Size < hugeFrom {
		return ""
	}
	huge, err := takeHugePages(int64(l.Size) * int64(l.Goroutines))
	if err != nil {
		return "; its memory is on " + PlainPages + ": " + err.Error()
	}
	r.huge = huge
	return " iomem=mmaphuge"
}

func (r *Runner) slice(req load.SliceReq) (load.Reply, error) {
	if err := load.SetPageCache(r.file, r.setup.Load, r.size); err != nil {
		if reply := load.Failure(err); reply.Unsupported != "" {
			return reply, nil
		}
		return load.Reply{}, err
	}
	if err := r.huge.ensure(); err != nil {
		return load.Reply{Unsupported: err.Error()}, nil
	}
	s, err := r.run(job{r.setup, r.size, req, r.huge != nil})
	switch {
	case r.ctx.Err() != nil:
		return load.Reply{}, err
	case err != nil: // a container may lack io_uring: the other sides go on
		return load.Reply{Unsupported: err.Error()}, nil
	}
	return load.Reply{Slice: &s}, nil
}

// run runs fio once.
func (r *Runner) run(j job) (load.Slice, error) {
	out, err := output(program.Command(r.ctx, r.exe, j.args()...))
	if err != nil {
		return load.Slice{}, err
	}
	return parse(out, j)
}

// output runs fio, and returns its stdout. The error has the first line of its output.
func output(cmd *exec.Cmd) ([]byte, error) {
	cmd.WaitDelay = time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, firstLine(stderr.String(), string(out)))
	}
	return out, nil
}

// firstLine returns the first line of the first text that is not empty.
func firstLine(texts ...string) string {
	for _, text := range texts {
		if line := program.FirstLine(text); line != "" {
			return line
		}
	}
	return "it printed no reason"
}
