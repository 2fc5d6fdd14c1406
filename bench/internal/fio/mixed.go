package fio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Mixed is a job that reads half of a file and writes the other half, by plain system calls through
// the page cache.
type Mixed struct {
	Size  int64 // of the file
	Block int
	// Random accesses the blocks in random order.
	Random bool
	// PreRead reads the file into the page cache first. Otherwise the file is uncached, and the
	// measured time ends with an fsync.
	PreRead bool
}

// Options returns fio's options for the job, as typed.
func (m Mixed) Options() []string {
	options := []string{"--rw=rw", "--size=" + strconv.FormatInt(m.Size, 10), "--blocksize=" + strconv.Itoa(m.Block)}
	if m.Random {
		options[0] = "--rw=randrw"
	}
	if m.PreRead {
		return append(options, "--pre_read=1")
	}
	return append(options, "--end_fsync=1", "--invalidate=1")
}

// MissingError reports that fio is not installed, or cannot do the job.
type MissingError struct{ Err error }

// Error returns the reason.
func (e *MissingError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *MissingError) Unwrap() error { return e.Err }

// Run runs the job on a new file in dir, and removes the file. It returns the results of the reads
// and of the writes.
func (m Mixed) Run(ctx context.Context, dir string) (reads, writes load.Slice, err error) {
	exe, err := exec.LookPath("fio")
	if err != nil {
		return reads, writes, &MissingError{errors.New(Install)}
	}
	if err := scratch.CheckSpace(dir, m.Size); err != nil {
		return reads, writes, err
	}
	work, err := os.MkdirTemp(dir, ".sluice-bench-*")
	if err != nil {
		return reads, writes, fmt.Errorf("cannot create a directory in %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	cmd := program.Command(ctx, exe, append(m.Options(), "--name=sluice-bench", "--output-format=json", "--eta=never")...)
	cmd.Dir = work
	out, err := output(cmd)
	switch {
	case ctx.Err() != nil:
		return reads, writes, context.Cause(ctx)
	case err != nil:
		return reads, writes, &MissingError{err}
	}
	return parseMixed(out)
}

// mixedResults is the part of fio's JSON output that is used.
type mixedResults struct {
	Jobs []struct {
		Error int   `json:"error"`
		Read  moved `json:"read"`
		Write moved `json:"write"`
	} `json:"jobs"`
}

// moved is the result of a job's reads, or of its writes.
type moved struct {
	Ops     float64 `json:"total_ios"`
	Runtime int64   `json:"runtime"` // in ms
}

func (m moved) slice() load.Slice {
	return load.Slice{Ops: m.Ops, Elapsed: max(time.Duration(m.Runtime)*time.Millisecond, time.Millisecond)}
}

func parseMixed(text []byte) (reads, writes load.Slice, err error) {
	var o mixedResults
	if err := decode(text, &o); err != nil {
		return reads, writes, err
	}
	if len(o.Jobs) != 1 || o.Jobs[0].Error != 0 {
		return reads, writes, fmt.Errorf("fio's job failed: %s", firstLine(string(text)))
	}
	return o.Jobs[0].Read.slice(), o.Jobs[0].Write.slice(), nil
}
