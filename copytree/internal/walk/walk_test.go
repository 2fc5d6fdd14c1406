package walk

import (
	"context"
	"errors"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/internal/inside"
)

// newWalk returns a Walk that is closed at the end of the test.
func newWalk(t *testing.T, ctx context.Context, o option.Options, k *at.Kernel) *Walk {
	t.Helper()
	j := openWalk(t, ctx, o, k)
	t.Cleanup(j.Close)
	return j
}

func openWalk(t *testing.T, ctx context.Context, o option.Options, k *at.Kernel) *Walk {
	t.Helper()
	s, err := sluice.Default()
	if err != nil {
		t.Fatal(err)
	}
	return New(ctx, System{Kernel: k, Scheduler: inside.Scheduler(s).Core, NewDriver: inside.Scheduler(s).NewDriver}, o)
}

// copyAll copies. It returns the errors joined, as package copytree does.
func copyAll(j *Walk, pairs ...option.Pair) (report.Result, error) {
	r, _ := j.Copy(pairs)
	var all []error
	if j.job.Ctx.Err() != nil {
		all = append(all, context.Cause(j.job.Ctx))
	}
	for _, e := range r.Errors {
		all = append(all, e)
	}
	return r, errors.Join(all...)
}

// run copies src to dst with the calls of k, and closes everything.
func run(t *testing.T, ctx context.Context, k *at.Kernel, dst, src string, o option.Options) (report.Result, error) {
	t.Helper()
	j := openWalk(t, ctx, o, k)
	defer j.Close()
	return copyAll(j, option.Pair{Dst: dst, Src: src})
}
