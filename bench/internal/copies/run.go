package copies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// FailedError reports that a program failed to make a copy.
type FailedError struct{ Err error }

// Error returns the reason.
func (e *FailedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *FailedError) Unwrap() error { return e.Err }

// Copy runs a program that copies the tree once. With check, it then compares the copy with the
// source. A fault of the program is a *FailedError. If the system lacks a requirement of the mode,
// the error is errors.ErrUnsupported.
func (p *Place) Copy(ctx context.Context, c Contender, m Mode, check bool) (program.Usage, error) {
	if ctx.Err() != nil {
		return program.Usage{}, context.Cause(ctx)
	}
	exe, err := c.find()
	if err != nil {
		return program.Usage{}, &FailedError{fmt.Errorf("%s is not installed", c.Argv[0])}
	}
	src, sum := p.src, p.about.Sum
	if m.Part {
		src, sum = tree.Part(src), p.about.Part
	}
	if err := p.prepare(ctx, c, m, exe, src); err != nil {
		return program.Usage{}, err
	}
	p.made++
	dst := filepath.Join(p.work, fmt.Sprintf("copy%d", p.made))
	u, err := p.timed(ctx, c, m, exe, src, dst)
	if err == nil && check {
		err = compare(sum, dst)
	}
	return u, errors.Join(err, p.clear(dst))
}

// prepare puts the page cache into the mode's state.
func (p *Place) prepare(ctx context.Context, c Contender, m Mode, exe, src string) error {
	if !m.Cold {
		return tree.Warm(src)
	}
	if err := dropCaches(p.src); err != nil {
		return fmt.Errorf("cannot drop the page cache: %w", err)
	}
	return loadProgram(ctx, c, exe)
}

// loadProgram brings the program's file back into memory, so that reading it is not measured.
func loadProgram(ctx context.Context, c Contender, exe string) error {
	f, err := os.Open(exe)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(io.Discard, f); err != nil {
		return err
	}
	_, err = program.Run(ctx, exe, append(c.Argv[:1:1], c.Version...))
	if _, ok := errors.AsType[*exec.ExitError](err); ok { // fcp prints its version and exits with 1
		return nil
	}
	return err
}

// timed runs the program and makes its copy durable. It returns the cost of both.
func (p *Place) timed(ctx context.Context, c Contender, m Mode, exe, src, dst string) (program.Usage, error) {
	u, err := program.Run(ctx, exe, c.command(src, dst))
	switch {
	case ctx.Err() != nil:
		return u, context.Cause(ctx)
	case err != nil:
		return u, &FailedError{err}
	}
	runtime.LockOSThread() // so that threadCPU measures makeDurable
	defer runtime.UnlockOSThread()
	start, cpu := time.Now(), threadCPU()
	if err := p.makeDurable(c, m, dst); err != nil {
		return u, err
	}
	u.Elapsed += time.Since(start)
	u.CPU += threadCPU() - cpu
	return u, nil
}

func compare(sum tree.Sum, dst string) error {
	of, err := tree.SumOf(dst)
	if err != nil {
		return &FailedError{fmt.Errorf("the copy cannot be read: %w", err)}
	}
	if how := sum.Differs(of); how != "" {
		return &FailedError{errors.New(how)}
	}
	return nil
}

// clear removes a copy, and waits until the file system has written the removal: only then are the
// blocks free.
func (p *Place) clear(dst string) error {
	if err := tree.Remove(dst); err != nil {
		return err
	}
	if err := syncFS(p.work); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
