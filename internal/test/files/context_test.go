package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// contextCall is a call that ends with its context.
type contextCall struct {
	name, op string
	do       func(ctx context.Context, f *sluice.File, b []byte) (int, error)
}

var contextCalls = []contextCall{
	{"ReadAtContext", "read", func(ctx context.Context, f *sluice.File, b []byte) (int, error) { return f.ReadAtContext(ctx, b, 0) }},
	{"WriteAtContext", "write", func(ctx context.Context, f *sluice.File, b []byte) (int, error) { return f.WriteAtContext(ctx, b, 0) }},
	{"SyncContext", "sync", func(ctx context.Context, f *sluice.File, b []byte) (int, error) { return 0, f.SyncContext(ctx) }},
	{"DatasyncContext", "sync", func(ctx context.Context, f *sluice.File, b []byte) (int, error) { return 0, f.DatasyncContext(ctx) }},
}

// wantEnded requires the error of an ended context, in the API's form.
func wantEnded(t *testing.T, c contextCall, n int, err, want error, path string) {
	t.Helper()
	var pe *fs.PathError
	if n != 0 || !errors.Is(err, want) || !errors.As(err, &pe) || pe.Op != c.op || pe.Path != path {
		t.Errorf("%s = %d, %v; want 0, %s %s: %v", c.name, n, err, c.op, path, want)
	}
}

func TestContextEndedBefore(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.TextOn(t, s, t.TempDir())
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		past, cancel := context.WithTimeout(t.Context(), -1)
		defer cancel()
		for _, c := range contextCalls {
			b := bytes.Repeat([]byte{'x'}, 20)
			n, err := c.do(ended, f, b)
			wantEnded(t, c, n, err, context.Canceled, f.Name())
			n, err = c.do(past, f, b)
			wantEnded(t, c, n, err, context.DeadlineExceeded, f.Name())
			if string(b) != "xxxxxxxxxxxxxxxxxxxx" {
				t.Errorf("%s read although its context had ended", c.name)
			}
		}
		testenv.ReadTwenty(t, f)
	})
}

// TestContextEndedBeforeOnADevice checks contexts that have ended before a call without disk I/O.
func TestContextEndedBeforeOnADevice(t *testing.T) {
	f, err := testenv.Scheduler(t, sluice.Options{}).OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range contextCalls {
		n, err := c.do(ended, f, make([]byte, 1))
		wantEnded(t, c, n, err, context.Canceled, f.Name())
	}
}

// TestContextEndsInQueue ends the context of calls that wait for a permit. They must return before
// one is free.
func TestContextEndsInQueue(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver, Threads: 1})
			f := testenv.TextOn(t, s, testenv.MemoryDir(t))
			release := testenv.Occupy(s)
			defer release()
			for _, c := range contextCalls {
				if c.op == "sync" && driver != "pool" {
					continue // a few fsyncs need no permit there
				}
				ctx, cancel := context.WithCancel(t.Context())
				var n int
				var err error
				var call sync.WaitGroup
				b := bytes.Repeat([]byte{'x'}, 20)
				call.Go(func() { n, err = c.do(ctx, f, b) })
				testenv.WaitFor(t, c.name+" to wait", func() bool { return hang.Parked("budget.Permit.wait") == 1 })
				cancel()
				call.Wait()
				wantEnded(t, c, n, err, context.Canceled, f.Name())
				if string(b) != "xxxxxxxxxxxxxxxxxxxx" {
					t.Errorf("%s wrote into its buffer: %q", c.name, b)
				}
			}
			release()
			testenv.ReadTwenty(t, f)
		})
	}
}

// TestSyncContextEnds ends the context of a Sync that waits for another Sync's fsync, which
// continues. It uses the pool: there an fsync needs a permit, and so can be held up.
func TestSyncContextEnds(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool", Threads: 1})
	f := testenv.TextOn(t, s, t.TempDir())
	release := testenv.Occupy(s)
	defer release()
	first := make(chan error, 1)
	go func() { first <- f.Sync() }()
	testenv.WaitFor(t, "a Sync to wait", func() bool { return hang.Parked("budget.Permit.wait") == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { second <- f.SyncContext(ctx) }()
	testenv.WaitFor(t, "another Sync to wait", func() bool { return hang.Parked("(*Scheduler).Sync") == 2 })
	cancel()
	wantEnded(t, contextCalls[2], 0, <-second, context.Canceled, f.Name())
	release()
	if err := <-first; err != nil {
		t.Errorf("Sync = %v", err)
	}
	if err := f.Sync(); err != nil {
		t.Errorf("Sync after one was given up = %v", err)
	}
}

// TestContextEndsInFlight ends contexts while the device reads and writes. Every call must have all
// its bytes or the context's error. A buffer is the caller's again when its call returns.
func TestContextEndsInFlight(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.DirectOn(t, s, t.TempDir(), 64*testenv.PageSize)
		var all sync.WaitGroup
		for g := range 16 {
			all.Go(func() {
				for i := range 40 {
					cancelInFlight(t, f, int64(g*4+i%4))
				}
			})
		}
		all.Wait()
		whole, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for page := range 64 {
			if b := whole[page*testenv.PageSize:][:testenv.PageSize]; !bytes.Equal(b, bytes.Repeat([]byte{byte(page)}, testenv.PageSize)) {
				t.Errorf("page %d is damaged", page)
			}
		}
	})
}

// cancelInFlight reads or rewrites a page with a context that ends during the call.
func cancelInFlight(t *testing.T, f *sluice.File, page int64) {
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	b := testenv.AlignedBytes(testenv.PageSize)
	n, err := f.ReadAtContext(ctx, b, page*testenv.PageSize)
	if err == nil && (n != testenv.PageSize || !bytes.Equal(b, bytes.Repeat([]byte{byte(page)}, testenv.PageSize))) {
		t.Errorf("ReadAtContext = %d, nil, %x…; want all of page %d", n, b[:8], page)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("ReadAtContext = %d, %v; want context.Canceled", n, err)
	}
	same := bytes.Repeat([]byte{byte(page)}, testenv.PageSize)
	copy(b, same)
	m, err := f.WriteAtContext(ctx, b, page*testenv.PageSize)
	if err == nil && m != testenv.PageSize || err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("WriteAtContext = %d, %v; want %d, nil or context.Canceled", m, err, testenv.PageSize)
	}
	if !bytes.Equal(b, same) {
		t.Errorf("the buffer of page %d was written after the read had returned", page)
	}
}
