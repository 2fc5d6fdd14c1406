package sched

import (
	"context"
	"errors"
	"io"
	"slices"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// played is a Scheduler whose driver and plain system calls are played by the
// test: each answers the next of its results, and notes what it was asked.
type played struct {
	*Scheduler
	f             *File
	queued, plain []asked
}

type asked struct {
	code driver.Code
	off  int64
	n    int
}

// play makes one. results and calls are what the driver and the plain system
// calls answer, in order.
func play(t *testing.T, o Options, results, calls []int32) *played {
	hang.Watch(t)
	d := script.New(8)
	p := &played{f: iopath.NewFile(1<<20, true, false)}
	d.Rule = func(op *driver.Op) (int32, bool) {
		p.queued = append(p.queued, asked{op.Code, op.Off, len(op.Buf)})
		res := results[0]
		results = results[1:]
		return res, true
	}
	p.Scheduler = newOn(d, o)
	p.paths.Call = func(code driver.Code, _ int, b []byte, off int64) int32 {
		p.plain = append(p.plain, asked{code, off, len(b)})
		res := calls[0]
		calls = calls[1:]
		return res
	}
	t.Cleanup(func() {
		p.Close()
		if len(results) > 0 || len(calls) > 0 {
			t.Errorf("%d results and %d calls were not asked for", len(results), len(calls))
		}
	})
	return p
}

var queueAll = Options{Threads: 2}

func (p *played) wantAsked(t *testing.T, queued, plain []asked) {
	t.Helper()
	if !slices.Equal(p.queued, queued) {
		t.Errorf("the driver was asked %v; want %v", p.queued, queued)
	}
	if !slices.Equal(p.plain, plain) {
		t.Errorf("plain system calls %v; want %v", p.plain, plain)
	}
}

func TestTransfers(t *testing.T) {
	const eio, enospc, enomem = -int32(syscall.EIO), -int32(syscall.ENOSPC), -int32(syscall.ENOMEM)
	r := func(off int64, n int) asked { return asked{driver.Read, off, n} }
	w := func(off int64, n int) asked { return asked{driver.Write, off, n} }
	for _, c := range []struct {
		name           string
		code           driver.Code
		results, calls []int32 // of the driver, of plain system calls
		n              int
		err            error
		queued, plain  []asked
	}{
		{"whole", driver.Read, []int32{100}, nil, 100, nil, []asked{r(1000, 100)}, nil},
		{"short is continued", driver.Read, []int32{10, 1, 89}, nil, 100, nil, []asked{r(1000, 100), r(1010, 90), r(1011, 89)}, nil},
		{"end of the file", driver.Read, []int32{0}, nil, 0, io.EOF, []asked{r(1000, 100)}, nil},
		{"end after some", driver.Read, []int32{60, 0}, nil, 60, io.EOF, []asked{r(1000, 100), r(1060, 40)}, nil},
		{"error", driver.Read, []int32{eio}, nil, 0, syscall.EIO, []asked{r(1000, 100)}, nil},
		{"error after some", driver.Read, []int32{60, eio}, nil, 60, syscall.EIO, []asked{r(1000, 100), r(1060, 40)}, nil},
		{"EINTR is repeated", driver.Read, []int32{eintr}, []int32{100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		{"EINTR of the plain call too", driver.Read, []int32{eintr}, []int32{eintr, eintr, 100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100), r(1000, 100), r(1000, 100)}},
		// Hazard: a completion can say EAGAIN. Guard: iopath.File.Performed.
		{"EAGAIN takes the plain call", driver.Read, []int32{60, eagain}, []int32{40}, 100, nil, []asked{r(1000, 100), r(1060, 40)}, []asked{r(1060, 40)}},
		{"short after EAGAIN is queued again", driver.Read, []int32{eagain, 50}, []int32{50}, 100, nil, []asked{r(1000, 100), r(1050, 50)}, []asked{r(1000, 100)}},
		{"error of the plain call", driver.Read, []int32{eagain}, []int32{eio}, 0, syscall.EIO, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		{"EOPNOTSUPP of NoWait stays with the file", driver.Read, []int32{-int32(syscall.EOPNOTSUPP)}, []int32{50, 50}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100), r(1050, 50)}},
		// Hazard: the thread that submitted has ended. Guard: iopath.File.Performed.
		{"ECANCELED that nobody asked for", driver.Read, []int32{ecanceled}, []int32{100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		{"EFAULT of the driver", driver.Read, []int32{-int32(syscall.EFAULT)}, []int32{100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		{"EFAULT indeed", driver.Read, []int32{-int32(syscall.EFAULT)}, []int32{-int32(syscall.EFAULT)}, 0, syscall.EFAULT, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		// Hazard: io_uring has no memory for a request. Guard: iopath.File.Performed.
		{"ENOMEM of the driver", driver.Read, []int32{60, enomem}, []int32{40}, 100, nil, []asked{r(1000, 100), r(1060, 40)}, []asked{r(1060, 40)}},
		{"ENOMEM indeed", driver.Read, []int32{enomem}, []int32{enomem}, 0, syscall.ENOMEM, []asked{r(1000, 100)}, []asked{r(1000, 100)}},

		{"whole", driver.Write, []int32{100}, nil, 100, nil, []asked{w(1000, 100)}, nil},
		{"short is continued", driver.Write, []int32{99, 1}, nil, 100, nil, []asked{w(1000, 100), w(1099, 1)}, nil},
		{"error after some", driver.Write, []int32{60, enospc}, nil, 60, syscall.ENOSPC, []asked{w(1000, 100), w(1060, 40)}, nil},
		{"nothing, and no error", driver.Write, []int32{60, 0}, nil, 60, io.ErrUnexpectedEOF, []asked{w(1000, 100), w(1060, 40)}, nil},
		{"EAGAIN takes the plain call", driver.Write, []int32{60, eagain}, []int32{40}, 100, nil, []asked{w(1000, 100), w(1060, 40)}, []asked{w(1060, 40)}},
		{"ENOMEM of the driver", driver.Write, []int32{60, enomem}, []int32{40}, 100, nil, []asked{w(1000, 100), w(1060, 40)}, []asked{w(1060, 40)}},
		{"EINTR is repeated", driver.Write, []int32{eintr}, []int32{eintr, 100}, 100, nil, []asked{w(1000, 100)}, []asked{w(1000, 100), w(1000, 100)}},
	} {
		t.Run(c.code.String()+"/"+c.name, func(t *testing.T) {
			p := play(t, queueAll, c.results, c.calls)
			do := p.ReadAt
			if c.code == driver.Write {
				do = p.WriteAt
			}
			n, err := do(t.Context(), p.f, make([]byte, 100), 1000)
			if n != c.n || !errors.Is(err, c.err) {
				t.Errorf("= %d, %v; want %d, %v", n, err, c.n, c.err)
			}
			p.wantAsked(t, c.queued, c.plain)
		})
	}
}

// An operation that was withdrawn because its context ended is not performed after all.
func TestEndedContextIsNotRepeated(t *testing.T) {
	for _, res := range []int32{eintr, ecanceled, eagain} {
		p := play(t, queueAll, []int32{60, res}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		d := p.paths.Engines.All()[0].Driver().(*script.Driver)
		rule := d.Rule
		d.Rule = func(op *driver.Op) (int32, bool) {
			if op.Off == 1060 {
				cancel()
			}
			return rule(op)
		}
		n, err := p.ReadAt(ctx, p.f, make([]byte, 100), 1000)
		if n != 60 || err != context.Canceled {
			t.Errorf("result %d: ReadAt = %d, %v; want 60, context.Canceled", res, n, err)
		}
	}
}

// Hazard: one file that refuses NOWAIT turns it off for all files. Guard: openFile.needsThread and
// openFile.CanLook are the file's.
func TestRefusedNoWaitIsOfTheFileAlone(t *testing.T) {
	p := play(t, queueAll, []int32{-int32(syscall.EOPNOTSUPP), 100}, []int32{100, 100})
	other := iopath.NewFile(1<<20, true, false)
	for _, f := range []*File{p.f, p.f, other} {
		if n, err := p.ReadAt(t.Context(), f, make([]byte, 100), 0); n != 100 || err != nil {
			t.Errorf("ReadAt = %d, %v", n, err)
		}
	}
	if len(p.queued) != 2 || len(p.plain) != 2 {
		t.Errorf("%d queued, %d plain calls; want 2, 2: only the first file's later read is not queued", len(p.queued), len(p.plain))
	}
}

// Next to nothing in flight: the plain call. With a context that may end, or
// with more in flight: the driver.
func TestPathFollowsDepth(t *testing.T) {
	p := play(t, Options{Plain: 1, Threads: 2}, []int32{1, 1}, []int32{1, 1})
	b := make([]byte, 1)
	one := func(n int, err error) {
		t.Helper()
		if n != 1 || err != nil {
			t.Errorf("%d bytes, %v; want 1, nil", n, err)
		}
	}
	one(p.ReadAt(context.Background(), p.f, b, 1))
	one(p.WriteAt(context.Background(), p.f, b, 2))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	one(p.ReadAt(ctx, p.f, b, 3))
	p.paths.Devices.None().Queued.Add(1)
	one(p.ReadAt(context.Background(), p.f, b, 4))
	p.paths.Devices.None().Queued.Add(-1)
	p.wantAsked(t,
		[]asked{{driver.Read, 3, 1}, {driver.Read, 4, 1}},
		[]asked{{driver.Read, 1, 1}, {driver.Write, 2, 1}})
	if st := p.Stats(); st.Queued != 2 || st.Plain != 2 || st.Read != 3 || st.Written != 1 || st.InFlight != 0 || st.Batches != 2 {
		t.Errorf("Stats = %+v; want 2 queued in 2 batches, 2 blocking, 3 bytes read, 1 written", st)
	}
	if p.queuedOps() != 0 || p.permits() != 0 {
		t.Errorf("%d waiting, %d places taken at the end", p.queuedOps(), p.permits())
	}
}

// A direct write that appends would hold a thread of the driver's: it is a
// plain call, at the position or not. A read of the same file is not.
func TestAppendIsNotQueued(t *testing.T) {
	p := play(t, queueAll, []int32{2}, []int32{3, 4, 7})
	p.f = iopath.NewFile(1<<20, true, true)
	b := make([]byte, 7)
	if n, err := p.Write(p.f, b); n != len(b) || err != nil {
		t.Errorf("Write = %d, %v; want 7, nil", n, err)
	}
	if n, err := p.WriteAt(t.Context(), p.f, b, 5); n != len(b) || err != nil {
		t.Errorf("WriteAt = %d, %v; want 7, nil", n, err)
	}
	if n, err := p.ReadAt(t.Context(), p.f, b[:2], 0); n != 2 || err != nil {
		t.Errorf("ReadAt = %d, %v; want 2, nil", n, err)
	}
	p.wantAsked(t,
		[]asked{{driver.Read, 0, 2}},
		[]asked{{driver.Write, iopath.AtPosition, 7}, {driver.Write, iopath.AtPosition, 4}, {driver.Write, 5, 7}})
}
