package proof_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree/internal/engine"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// patience is the time after which a copy counts as hanging.
const patience = 2 * time.Minute

func TestMain(m *testing.M) { testenv.Main(m) }

// copied copies, and fails the test if there is an error or no end.
func copied(t *testing.T, dst, src string, o option.Options) report.Result {
	t.Helper()
	r, err := within(t, dst, src, o)
	if err != nil {
		t.Fatalf("Copy(%q, %q) = %v", dst, src, err)
	}
	return r
}

// refused copies, and fails the test unless the error is want.
func refused(t *testing.T, dst, src string, o option.Options, want error) report.Result {
	t.Helper()
	r, err := within(t, dst, src, o)
	if !errors.Is(err, want) {
		t.Errorf("Copy(%q, %q) = %v; want %v", dst, src, err, want)
	}
	return r
}

// within copies. If the copy hangs, it ends the test binary and prints the goroutines: a goroutine
// that hangs in a system call ignores its context.
func within(t *testing.T, dst, src string, o option.Options) (report.Result, error) {
	t.Helper()
	return withinOn(t, nil, dst, src, o)
}

// withinOn is within, with a Scheduler.
func withinOn(t *testing.T, s *sluice.Scheduler, dst, src string, o option.Options) (report.Result, error) {
	t.Helper()
	alarm := time.AfterFunc(patience, func() { panic(fmt.Sprintf("Copy(%q, %q) hangs", dst, src)) })
	defer alarm.Stop()
	return engine.Copy(t.Context(), s, []option.Pair{{Dst: dst, Src: src}}, o)
}

// copyOne copies one file or tree.
func copyOne(ctx context.Context, dst, src string, o option.Options) (report.Result, error) {
	return engine.Copy(ctx, nil, []option.Pair{{Dst: dst, Src: src}}, o)
}
