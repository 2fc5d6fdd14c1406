package sched

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// recorded returns what s records while do runs.
func recorded(t *testing.T, s *Scheduler, do func()) (ops []record.Op, calls []record.Call) {
	t.Helper()
	if !record.Built {
		skip.For(t, skip.Build, "built without the recorder")
	}
	r := record.New(record.Options{Names: 1})
	r.Start()
	s.paths.Recording.Set(r)
	do()
	s.paths.Recording.Set(nil)
	r.Collect(record.Sink{
		Op:   func(o record.Op, _ uint32) { ops = append(ops, o) },
		Call: func(c record.Call, _ uint32) { calls = append(calls, c) },
	})
	return ops, calls
}

const wait = 20 * time.Millisecond

// wantInQueue fails the test unless one operation has that path, and was in the queue for the whole
// wait.
func wantInQueue(t *testing.T, ops []record.Op, path uint8) {
	t.Helper()
	n := 0
	for _, o := range ops {
		if o.Path != path {
			continue
		}
		n++
		if queue := time.Duration(o.Submitted - o.Queued); queue < wait {
			t.Errorf("the operation was in the queue for %v, and then on the device for %v; want %v in the queue",
				queue, time.Duration(o.Completed-o.Submitted), wait)
		}
	}
	if n != 1 {
		t.Errorf("%d operations of path %d; want 1 of %v", n, path, ops)
	}
}

// TestCachedReadWaitsInQueue: what a read from the page cache waits for its ticket is time in the
// queue.
func TestCachedReadWaitsInQueue(t *testing.T) {
	hang.Watch(t)
	s, f := halfCached(t, 8<<10)
	s.paths.Clock = func() time.Duration { return time.Second }
	c := s.Classes().New("limited", fair.Settings{Weight: 1, IOPS: 1})
	ctx, b := qos.WithClass(t.Context(), c), make([]byte, 100)
	read := func() {
		if n, err := s.ReadAt(ctx, f, b, 0); n != len(b) || err != nil {
			t.Errorf("ReadAt = %d, %v; want %d, nil", n, err, len(b))
		}
	}
	read() // takes the ticket of this second
	ops, _ := recorded(t, s, func() {
		done := make(chan struct{})
		go func() { defer close(done); read() }()
		hang.Eventually(func() bool { return c.Stats().Queued == 1 })
		time.Sleep(wait)
		c.Configure(fair.Settings{Weight: 1})
		<-done
	})
	wantInQueue(t, ops, record.PathCached)
}

// TestSharedSyncWaitsInQueue: what a Sync waits for its ticket is time in the queue, also if
// another one's fsync serves it.
func TestSharedSyncWaitsInQueue(t *testing.T) {
	p := playSyncs(t)
	p.paths.Clock = func() time.Duration { return time.Second }
	c := p.Classes().New("limited", fair.Settings{Weight: 1, IOPS: 1})
	ctx := qos.WithClass(t.Context(), c)
	spent := p.running(ctx) // takes the ticket of this second
	p.results <- 0
	want(t, nil, spent)
	ops, _ := recorded(t, p.Scheduler, func() {
		first := p.running(t.Context())
		two := make(chan error, 2)
		for range 2 {
			go func() { two <- p.Sync(ctx, p.f) }()
		}
		hang.Eventually(func() bool { return c.Stats().Queued == 2 })
		time.Sleep(wait)
		c.Configure(fair.Settings{Weight: 1})
		hang.Eventually(func() bool { return p.members() == 2 })
		p.results <- 0
		want(t, nil, first)
		p.wantStarted(t, driver.Fsync)
		p.results <- 0
		want(t, nil, two)
		want(t, nil, two)
	})
	wantInQueue(t, ops, record.PathShared)
}

// TestEndIsRecordedOnce: the look that finds the end of the file is the operation, with the time
// that it took. It is not a system call as well.
func TestEndIsRecordedOnce(t *testing.T) {
	hang.Watch(t)
	s, f := halfCached(t, 0)
	s.paths.FindsEnd = true
	s.paths.Look = func(int, []byte, int64) (int32, bool) {
		time.Sleep(wait)
		return 0, true
	}
	b := make([]byte, 100)
	reads := map[string]func() (int, error){
		"ReadAt": func() (int, error) {
			n, err := s.ReadAt(context.Background(), f, b, 0)
			if err == io.EOF {
				err = nil
			}
			return n, err
		},
		"Pread":       func() (int, error) { return s.Pread(f, b, 0) },
		"ReadCurrent": func() (int, error) { return s.ReadCurrent(f, b) },
	}
	wantOne := func(name string, read func() (int, error)) {
		ops, calls := recorded(t, s, func() {
			if n, err := read(); n != 0 || err != nil {
				t.Errorf("%s = %d, %v; want the end", name, n, err)
			}
		})
		if len(ops) != 1 || len(calls) != 0 || ops[0].Path != record.PathCached {
			t.Errorf("%s is recorded as %+v, and the calls %+v; want one cached read, and no call", name, ops, calls)
		} else if took := time.Duration(ops[0].Completed - ops[0].Submitted); took < wait {
			t.Errorf("%s took %v on the device; want %v", name, took, wait)
		}
	}
	for name, read := range reads {
		wantOne(name, read)
	}
	s.Classes().New("class", fair.Settings{Weight: 1})
	for name, read := range reads {
		wantOne(name+" of a class", read)
	}
}

// TestPlainCallsAreNotQueued: the record of a call that is made at once says that it was submitted
// when it was asked for.
func TestPlainCallsAreNotQueued(t *testing.T) {
	f := iopath.NewFile(int(recordFile(t, 1).Fd()), false, false)
	s := newOn(script.New(8), Options{Plain: 8, Threads: 8})
	defer s.Close()
	small, large := make([]byte, 10), make([]byte, largeRead)
	for name, call := range map[string]func() (int, error){
		"Read":            func() (int, error) { return s.Read(f, small) },
		"Write":           func() (int, error) { return s.Write(f, small) },
		"a large ReadAt":  func() (int, error) { return s.ReadAt(context.Background(), f, large, 0) },
		"a small WriteAt": func() (int, error) { return s.WriteAt(context.Background(), f, small, 0) },
	} {
		ops, _ := recorded(t, s, func() { _, _ = call() }) // a large read ends at the end
		if len(ops) == 0 || ops[0].Path != record.PathPlain || ops[0].Queued != ops[0].Submitted {
			t.Errorf("%s is recorded as %+v; want a plain call, submitted when it was asked for", name, ops)
		}
	}
}
