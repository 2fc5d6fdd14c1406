package walk

import (
	"context"
	"errors"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/internal/inside"
)

// newJob returns a Job, which is closed at the end of the test.
func newJob(t *testing.T, ctx context.Context, cfg Config, k *at.Kernel) *Job {
	t.Helper()
	j := openJob(t, ctx, cfg, k)
	t.Cleanup(j.Close)
	return j
}

func openJob(t *testing.T, ctx context.Context, cfg Config, k *at.Kernel) *Job {
	t.Helper()
	s, err := sluice.Default()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Scheduler, cfg.NewDriver = inside.Scheduler(s).Core, inside.Scheduler(s).NewDriver
	return New(ctx, cfg, k)
}

// copyAll copies, and returns the errors joined as package copytree does.
func copyAll(j *Job, pairs ...dirs.Pair) (Result, error) {
	r := j.Copy(pairs)
	var all []error
	if j.Ctx.Err() != nil {
		all = append(all, context.Cause(j.Ctx))
	}
	for _, e := range r.Errors {
		all = append(all, e)
	}
	return r, errors.Join(all...)
}

// run copies src to dst with the calls of k, and closes everything.
func run(t *testing.T, ctx context.Context, k *at.Kernel, dst, src string, cfg Config) (Result, error) {
	t.Helper()
	j := openJob(t, ctx, cfg, k)
	defer j.Close()
	return copyAll(j, dirs.Pair{Dst: dst, Src: src})
}
