package proof_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sluiceio/sluice/copytree"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// patience is after how long a copy counts as hanging.
const patience = 2 * time.Minute

func TestMain(m *testing.M) { testenv.Main(m) }

// copied copies, and fails the test if there is an error or no end.
func copied(t *testing.T, dst, src string, o copytree.Options) copytree.Result {
	t.Helper()
	r, err := within(t, dst, src, o)
	if err != nil {
		t.Fatalf("Copy(%q, %q) = %v", dst, src, err)
	}
	return r
}

// refused copies, and fails the test unless the error is want.
func refused(t *testing.T, dst, src string, o copytree.Options, want error) copytree.Result {
	t.Helper()
	r, err := within(t, dst, src, o)
	if !errors.Is(err, want) {
		t.Errorf("Copy(%q, %q) = %v; want %v", dst, src, err, want)
	}
	return r
}

// within copies. If that hangs, it ends the test binary and prints the goroutines: a
// goroutine that hangs in a system call does not react to a context.
func within(t *testing.T, dst, src string, o copytree.Options) (copytree.Result, error) {
	t.Helper()
	alarm := time.AfterFunc(patience, func() { panic(fmt.Sprintf("Copy(%q, %q) hangs", dst, src)) })
	defer alarm.Stop()
	return copytree.Copy(t.Context(), dst, src, o)
}
