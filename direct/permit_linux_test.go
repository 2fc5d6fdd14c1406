package direct_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestWriteWaitsForAPermit checks that a write whose context ends returns although no permit is
// free to write its complete pages back. The bytes are written, and the file is not locked.
func TestWriteWaitsForAPermit(t *testing.T) {
	hang.Watch(t)
	s := testenv.Scheduler(t, sluice.Options{})
	f := create(t, s, t.TempDir())
	if _, err := f.WriteAt([]byte{0}, 0); err != nil { // so that the device is known
		t.Fatal(err)
	}
	defer f.HoldPermits()()
	ctx, cancel := context.WithCancel(t.Context())
	type result struct {
		n   int
		err error
	}
	ended := make(chan result, 1)
	b := testenv.Noise(testenv.PageSize + 1)
	go func() {
		n, err := f.WriteAtContext(ctx, b, 0)
		ended <- result{n, err}
	}()
	testenv.WaitFor(t, "the write to wait for a permit", func() bool { return testenv.Waiting(s) == 1 })
	cancel()
	if r := <-ended; r.n != len(b) || !errors.Is(r.err, context.Canceled) {
		t.Errorf("WriteAtContext = %d, %v; want %d, %v", r.n, r.err, len(b), context.Canceled)
	}
	if _, err := f.WriteAt(b[:1], 1); err != nil {
		t.Error(err)
	}
}
