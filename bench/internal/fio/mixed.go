package fio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Mixed is a job that reads one half of a file and writes the other, in plain
// system calls through the page cache.
type Mixed struct {
	Size  int64 // of the file
	Block int
	// Random takes the blocks in random order.
	Random bool
	// PreRead reads the file into the page cache first; else nothing of it is
	// there, and an fsync is in the time at the end.
	PreRead bool
}

// Options are those of fio that make the job, as they are typed.
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

// MissingError says that there is no fio, or that it cannot do the job.
type MissingError struct{ Err error }

// Error is the reason.
func (e *MissingError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *MissingError) Unwrap() error { return e.Err }

// Run has fio do the job on a file in dir, which it makes before and removes
// after. What it says of its reads and writes is the result.
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
	cmd := exec.CommandContext(ctx, exe, append(m.Options(), "--name=sluice-bench", "--output-format=json", "--eta=never")...)
	cmd.Dir, cmd.WaitDelay = work, time.Second
	program.Alone(cmd)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return reads, writes, context.Cause(ctx)
	case err != nil:
		return reads, writes, &MissingError{fmt.Errorf("%w: %s", err, firstLine(stderr.String(), string(out)))}
	}
	return parseMixed(out)
}

// mixedOutput is what we read of fio's.
type mixedOutput struct {
	Jobs []struct {
		Error int   `json:"error"`
		Read  moved `json:"read"`
		Write moved `json:"write"`
	} `json:"jobs"`
}

type moved struct {
	Ops     float64 `json:"total_ios"`
	Runtime int64   `json:"runtime"` // in ms
}

func (m moved) slice() load.Slice {
	return load.Slice{Ops: m.Ops, Elapsed: max(time.Duration(m.Runtime)*time.Millisecond, time.Millisecond)}
}

func parseMixed(text []byte) (reads, writes load.Slice, err error) {
	if i := strings.IndexByte(string(text), '{'); i > 0 { // warnings may come first
		text = text[i:]
	}
	var o mixedOutput
	if err := json.Unmarshal(text, &o); err != nil {
		return reads, writes, fmt.Errorf("cannot read fio's results: %w", err)
	}
	if len(o.Jobs) != 1 || o.Jobs[0].Error != 0 {
		return reads, writes, fmt.Errorf("fio's job failed: %s", firstLine(string(text)))
	}
	return o.Jobs[0].Read.slice(), o.Jobs[0].Write.slice(), nil
}
