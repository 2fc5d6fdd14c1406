package duel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
)

// starter performs load.Start. Each operation is a new process, from start to end.
type starter struct {
	ctx     context.Context
	exe     string   // "" if there is no program
	missing string   // the reason for that
	env     []string // of the process
	path    string   // the file that the program reads
}

// Setup runs the program once.
func (s *starter) Setup(setup load.Setup) (load.Reply, error) {
	if s.exe == "" {
		return load.Reply{Unsupported: s.missing}, nil
	}
	s.env = append(s.env, Environment(setup.Side.Driver)...)
	s.path = setup.Path
	_, err := s.memory()
	return load.Reply{}, err
}

// Stop does nothing: no process is left after a slice.
func (s *starter) Stop() {}

// Slice runs the program again and again. It does not count threads: the processes are too short.
func (s *starter) Slice(req load.SliceReq) (load.Reply, int, error) {
	for end := time.Now().Add(req.Lead); time.Now().Before(end); {
		if _, _, err := s.once(); err != nil {
			return load.Reply{}, 0, err
		}
	}
	var slice load.Slice
	var times []time.Duration
	for slice.Elapsed < req.Time {
		took, cpu, err := s.once()
		if err != nil {
			return load.Reply{}, 0, err
		}
		times = append(times, took)
		slice.Elapsed += took
		slice.CPU += cpu
	}
	slices.Sort(times)
	n := len(times)
	slice.Ops, slice.Mean = float64(n), slice.Elapsed/time.Duration(n)
	slice.P50, slice.P99, slice.Max = times[n/2], times[n*99/100], times[n-1]
	resident, err := s.memory()
	slice.Resident = resident
	return load.Reply{Slice: &slice}, 0, err
}

// once runs the program, and returns its time and its processor time.
func (s *starter) once() (took, cpu time.Duration, err error) {
	if s.ctx.Err() != nil {
		return 0, 0, context.Cause(s.ctx)
	}
	start := time.Now()
	p, err := os.StartProcess(s.exe, []string{s.exe, s.path}, &os.ProcAttr{Env: s.env, Sys: program.OwnGroup()})
	if err != nil {
		return 0, 0, err
	}
	end, err := p.Wait()
	took = time.Since(start)
	if err == nil && !end.Success() {
		err = &exec.ExitError{ProcessState: end}
	}
	return took, end.UserTime() + end.SystemTime(), err
}

// memory runs the program, and returns the peak of its resident memory, or 0 if unknown. The
// program reports it: the kernel's figure for the parent includes memory that the child shared with
// the parent before exec.
func (s *starter) memory() (int64, error) {
	cmd := program.Command(s.ctx, s.exe, s.path, "memory")
	cmd.Env = s.env
	status, err := cmd.Output()
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return 0, fmt.Errorf("%w: %s", err, program.FirstLine(string(exit.Stderr)))
	}
	return program.PeakOf(status).RSS, err
}
