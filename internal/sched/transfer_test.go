package sched

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/driver/sim"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
)

func TestTransferResults(t *testing.T) {
	const eio, enospc = -int32(syscall.EIO), -int32(syscall.ENOSPC)
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
		{"short is continued", driver.Read, []int32{10}, []int32{1, 89}, 100, nil, []asked{r(1000, 100)}, []asked{r(1010, 90), r(1011, 89)}},
		{"end of the file", driver.Read, []int32{0}, nil, 0, io.EOF, []asked{r(1000, 100)}, nil},
		{"end after some", driver.Read, []int32{60}, []int32{0}, 60, io.EOF, []asked{r(1000, 100)}, []asked{r(1060, 40)}},
		{"error", driver.Read, []int32{eio}, nil, 0, syscall.EIO, []asked{r(1000, 100)}, nil},
		{"error after some", driver.Read, []int32{60}, []int32{eio}, 60, syscall.EIO, []asked{r(1000, 100)}, []asked{r(1060, 40)}},
		{"EINTR is repeated", driver.Read, []int32{eintr}, []int32{eintr, 100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100), r(1000, 100)}},
		{"EAGAIN takes the plain call", driver.Read, []int32{eagain}, []int32{60, 40}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100), r(1060, 40)}},
		{"ECANCELED that nobody asked for", driver.Read, []int32{ecanceled}, []int32{100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		{"EFAULT of the driver", driver.Read, []int32{-int32(syscall.EFAULT)}, []int32{100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		{"EFAULT indeed", driver.Read, []int32{-int32(syscall.EFAULT)}, []int32{-int32(syscall.EFAULT)}, 0, syscall.EFAULT, []asked{r(1000, 100)}, []asked{r(1000, 100)}},
		{"EOPNOTSUPP of NoWait", driver.Read, []int32{-int32(syscall.EOPNOTSUPP)}, []int32{100}, 100, nil, []asked{r(1000, 100)}, []asked{r(1000, 100)}},

		{"whole", driver.Write, []int32{100}, nil, 100, nil, []asked{w(1000, 100)}, nil},
		{"short is continued", driver.Write, []int32{99}, []int32{1}, 100, nil, []asked{w(1000, 100)}, []asked{w(1099, 1)}},
		{"error after some", driver.Write, []int32{60}, []int32{enospc}, 60, syscall.ENOSPC, []asked{w(1000, 100)}, []asked{w(1060, 40)}},
		{"nothing, and no error", driver.Write, []int32{0}, nil, 0, io.ErrUnexpectedEOF, []asked{w(1000, 100)}, nil},
		{"EAGAIN takes the plain call", driver.Write, []int32{eagain}, []int32{100}, 100, nil, []asked{w(1000, 100)}, []asked{w(1000, 100)}},
	} {
		t.Run(c.code.String()+"/"+c.name, func(t *testing.T) {
			p := play(t, queueAll, c.results, c.calls)
			var tr Transfer
			p.startTransfer(&tr, c.code, p.f, make([]byte, 100), 1000, 0, false)
			n, err := tr.Wait(t.Context())
			if n != c.n || !errors.Is(err, c.err) {
				t.Errorf("Wait = %d, %v; want %d, %v", n, err, c.n, c.err)
			}
			p.goroutines.Wait()
			p.wantAsked(t, c.queued, c.plain)
			if p.queuedOps() != 0 || p.permits() != 0 {
				t.Errorf("%d waiting, %d places taken at the end", p.queuedOps(), p.permits())
			}
		})
	}
}

// An empty transfer ends at once, and asks nobody.
func TestEmptyTransfer(t *testing.T) {
	p := play(t, queueAll, nil, nil)
	var tr Transfer
	for range 3 {
		p.StartRead(&tr, p.f, nil, 0, 0)
		if n, err := tr.Wait(t.Context()); n != 0 || err != nil {
			t.Errorf("Wait = %d, %v; want 0, nil", n, err)
		}
	}
}

func TestTransferMisuse(t *testing.T) {
	p := play(t, queueAll, []int32{1}, nil)
	panics := func(what string, do func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s does not panic", what)
			}
		}()
		do()
	}
	var tr Transfer
	panics("Wait without Start", func() { tr.Wait(t.Context()) })
	p.StartRead(&tr, p.f, make([]byte, 1), 0, 0)
	panics("Start twice", func() { p.StartRead(&tr, p.f, make([]byte, 1), 0, 0) })
	tr.Wait(t.Context())
	panics("Wait twice", func() { tr.Wait(t.Context()) })
}

// Reg reaches the driver, and does not stay with the request.
func TestTransferReg(t *testing.T) {
	hang.Watch(t)
	d := script.New(8)
	var regs []uint32
	d.Rule = func(op *driver.Op) (int32, bool) {
		regs = append(regs, op.Reg)
		return int32(len(op.Buf)), true
	}
	s := newOn(&registering{Driver: d, base: 6, known: map[int][]byte{}}, queueAll)
	defer s.Close()
	f := iopath.NewFile(1<<20, true, false)
	b := make([]byte, 10)
	seven, eight := s.Rings().Register(b), s.Rings().Register(b)
	var tr Transfer
	s.StartRead(&tr, f, b, 0, seven)
	whole := func(n int, err error) {
		t.Helper()
		if n != len(b) || err != nil {
			t.Errorf("%d bytes, %v; want %d, nil", n, err, len(b))
		}
	}
	whole(tr.Wait(t.Context()))
	whole(s.ReadAtReg(t.Context(), f, b, 0, eight))
	whole(s.ReadAtReg(t.Context(), f, b, 0, 0))
	for range 10 {
		whole(s.ReadAt(t.Context(), f, b, 0))
	}
	if want := append([]uint32{7, 8}, make([]uint32, 11)...); fmt.Sprint(regs) != fmt.Sprint(want) {
		t.Errorf("Reg = %v; want %v", regs, want)
	}
}

// ReadAtReg takes the plain call where ReadAt does, and goes on after a short one.
func TestFixedPlain(t *testing.T) {
	p := play(t, Options{Plain: 1, Threads: 2}, nil, []int32{60, 40})
	ctx, b := context.Background(), make([]byte, 100)
	if n, err := p.ReadAtReg(ctx, p.f, b, 0, 3); n != 100 || err != nil {
		t.Errorf("ReadAtReg = %d, %v; want 100, nil", n, err)
	}
	p.wantAsked(t, nil, []asked{{driver.Read, 0, 100}, {driver.Read, 60, 40}})
}

// A queued read counts until its goroutine runs again, not until its operation
// is complete: else that goroutine, and others of its batch, would take the
// plain call next.
func TestReadCountsUntilItRuns(t *testing.T) {
	hang.Watch(t)
	d := script.New(8)
	s := newOn(d, queueAll)
	ctx := heldContext{t.Context(), make(chan struct{}), make(chan struct{})}
	done := make(chan int32)
	go func() {
		done <- s.waitOrQueue(ctx, driver.Read, iopath.NewFile(1<<20, true, false), make([]byte, 10), 0, 1)
	}()
	<-ctx.held
	d.Answer(d.Next(0), 10)
	s.paths.Engines.All()[0].Wait()
	if n := s.queuedOps(); n != 1 {
		t.Errorf("%d waiting when the operation is complete; want 1", n)
	}
	close(ctx.goOn)
	if res := <-done; res != 10 || s.queuedOps() != 0 {
		t.Errorf("the read = %d, %d waiting; want 10, 0", res, s.queuedOps())
	}
	s.Close()
}

// While a ReadAtReg is queued, another one is a plain call, as a ReadAt is: the first counts as
// one operation, so that two goroutines do not keep each other in the queue.
func TestFixedCountsOnce(t *testing.T) {
	hang.Watch(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	d := script.New(8)
	s := newOn(d, Options{Threads: 8})
	defer s.Close()
	s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
	f := iopath.NewFile(1<<20, true, false)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if n, err := s.ReadAtReg(context.Background(), f, make([]byte, 10), 0, 1); n != 10 || err != nil {
			t.Errorf("the queued ReadAtReg = %d, %v; want 10, nil", n, err)
		}
	}()
	op := d.Next(0)
	s.paths.Plain = 2
	d.Mu.Lock()
	d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true } // from now on
	d.Mu.Unlock()
	if n, err := s.ReadAtReg(context.Background(), f, make([]byte, 10), 0, 1); n != 10 || err != nil {
		t.Errorf("the other ReadAtReg = %d, %v; want 10, nil", n, err)
	}
	if st := s.Stats(); st.Plain != 1 {
		t.Errorf("%d plain calls; want 1", st.Plain)
	}
	d.Answer(op, 10)
	<-done
	if n := s.queuedOps(); n != 0 {
		t.Errorf("%d operations are counted at the end; want 0", n)
	}
}

// heldContext holds up a goroutine that asks for the context's end, once, and
// says so.
type heldContext struct {
	context.Context
	held, goOn chan struct{}
}

func (c heldContext) Done() <-chan struct{} {
	close(c.held)
	<-c.goOn
	return nil
}

// Where a transfer is when its context ends: with no room in the driver, in
// the driver, waiting for a permit, in a system call.
func TestTransferWithdrawn(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	b := make([]byte, 100)

	t.Run("backlog", func(t *testing.T) {
		script.Run(t, 1, func(t *testing.T, d *script.Driver, drv driver.Driver) {
			s := newOn(drv, queueAll)
			f := iopath.NewFile(1<<20, true, false)
			var first, second Transfer
			s.StartRead(&first, f, b, 0, 0)
			op := d.Next(0)
			s.StartRead(&second, f, b, 100, 0)
			if n, err := second.Wait(ended); n != 0 || err != context.Canceled {
				t.Errorf("Wait = %d, %v; want 0, context.Canceled", n, err)
			}
			d.Answer(op, 100)
			if n, err := first.Wait(t.Context()); n != 100 || err != nil {
				t.Errorf("Wait = %d, %v; want 100, nil", n, err)
			}
			s.Close()
		})
	})
	for _, c := range []struct {
		res int32
		n   int
		err error
	}{{ecanceled, 0, context.Canceled}, {eagain, 0, context.Canceled}, {60, 60, context.Canceled}, {100, 100, nil}, {0, 0, io.EOF}} {
		t.Run(fmt.Sprintf("driver/%d", c.res), func(t *testing.T) {
			script.Run(t, 4, func(t *testing.T, d *script.Driver, drv driver.Driver) {
				s := newOn(drv, queueAll)
				var tr Transfer
				s.StartRead(&tr, iopath.NewFile(1<<20, true, false), b, 0, 0)
				op := d.Next(0)
				go func() {
					d.Until(func() bool { return len(d.Cancelled) > 0 })
					d.Answer(op, c.res)
				}()
				if n, err := tr.Wait(ended); n != c.n || err != c.err {
					t.Errorf("Wait = %d, %v; want %d, %v", n, err, c.n, c.err)
				}
				s.Close()
			})
		})
	}
	t.Run("permits", func(t *testing.T) {
		p := play(t, queueAll, []int32{eagain, eagain, eagain}, []int32{100})
		p.hold()
		p.hold()
		var all [3]Transfer
		for i := range all {
			p.StartRead(&all[i], p.f, b, 0, 0)
		}
		p.paths.Engines.All()[0].Wait()
		for _, i := range []int{1, 2} { // the middle, the last
			if n, err := all[i].Wait(ended); n != 0 || err != context.Canceled {
				t.Errorf("Wait = %d, %v; want 0, context.Canceled", n, err)
			}
		}
		p.letGo()
		p.letGo()
		if n, err := all[0].Wait(t.Context()); n != 100 || err != nil {
			t.Errorf("Wait = %d, %v; want 100, nil", n, err)
		}
	})
	t.Run("system call", func(t *testing.T) {
		p := play(t, queueAll, []int32{eagain}, []int32{30})
		called, goOn := make(chan struct{}), make(chan struct{})
		call := p.paths.Call
		p.paths.Call = func(code driver.Code, fd int, b []byte, off int64) int32 {
			close(called)
			<-goOn
			return call(code, fd, b, off)
		}
		var tr Transfer
		p.StartWrite(&tr, p.f, b, 0, 0, false)
		<-called
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			if n, err := tr.Wait(ended); n != 30 || err != context.Canceled {
				t.Errorf("Wait = %d, %v; want 30, context.Canceled", n, err)
			}
		}()
		hang.Eventually(func() bool { p.helpersMu.Lock(); defer p.helpersMu.Unlock(); return tr.withdrawn })
		close(goOn)
		<-returned
	})
}

// Helpers are as many as there are permits, however many transfers wait.
func TestHelpersAreBounded(t *testing.T) {
	hang.Watch(t)
	d := script.New(8)
	d.Rule = func(*driver.Op) (int32, bool) { return eagain, true }
	s := newOn(d, Options{Threads: 3})
	var mu sync.Mutex
	now, most := 0, 0
	goOn := make(chan struct{})
	s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		<-goOn
		mu.Lock()
		now--
		mu.Unlock()
		return int32(len(b))
	}
	f := iopath.NewFile(1<<20, true, false)
	all := make([]Transfer, 50)
	for i := range all {
		s.StartWrite(&all[i], f, make([]byte, 10), int64(i), 0, false)
	}
	hang.Eventually(func() bool { mu.Lock(); defer mu.Unlock(); return now == 3 })
	s.helpersMu.Lock()
	helpers := s.DeviceOf(f).Helpers[budget.Writes].(*deviceHelpers)
	running := helpers.running
	s.helpersMu.Unlock()
	close(goOn)
	for i := range all {
		if n, err := all[i].Wait(t.Context()); n != 10 || err != nil {
			t.Errorf("Wait = %d, %v", n, err)
		}
	}
	s.Close()
	if most != 3 || running != 3 || helpers.running != 0 {
		t.Errorf("%d in system calls, %d helpers, %d at the end; want 3, 3, 0", most, running, helpers.running)
	}
}

// A stream over a disk that cuts, fails and reorders, read ahead by several
// transfers, arrives whole or with the error.
func TestTransfersOnSim(t *testing.T) {
	start := seed.Of(t)
	for i := range uint64(20) {
		disk, err := sim.New(sim.Options{Seed: start + i, Depth: 4, Short: 0.3, Fail: 0.05, Errnos: []syscall.Errno{syscall.EIO, syscall.EAGAIN, syscall.EINTR}})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 50_000)
		rnd := rand.New(rand.NewPCG(start, i))
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		fd := disk.Create("f", data)
		s := newOn(disk, queueAll)
		s.paths.Call = func(_ driver.Code, _ int, b []byte, off int64) int32 {
			return int32(copy(b, data[min(off, int64(len(data))):]))
		}
		readAhead(t, s, iopath.NewFile(int(fd), true, false), data)
		s.Close()
	}
}

// readAhead reads a file in parts, eight at a time, in registered memory.
func readAhead(t *testing.T, s *Scheduler, f *File, data []byte) {
	t.Helper()
	const part, ahead = 1000, 8
	mem := make([]byte, part*ahead)
	reg := s.Rings().Register(mem)
	defer s.Rings().Unregister(reg)
	var all [ahead]Transfer
	place := func(i int) []byte { return mem[i%ahead*part:][:part] }
	for i := range ahead {
		s.StartRead(&all[i], f, place(i), int64(i*part), reg)
	}
	for i := range len(data)/part + ahead {
		n, err := all[i%ahead].Wait(t.Context())
		want := data[min(i*part, len(data)):min((i+1)*part, len(data))]
		if err != nil && !errors.Is(err, syscall.EIO) && (err != io.EOF || n != len(want)) || err == nil && n != len(want) {
			t.Errorf("part %d: Wait = %d, %v; want %d", i, n, err, len(want))
		}
		if !bytes.Equal(place(i)[:n], want[:min(n, len(want))]) {
			t.Errorf("part %d: wrong bytes", i)
		}
		if i+ahead < len(data)/part+ahead {
			s.StartRead(&all[i%ahead], f, place(i), int64((i+ahead)*part), reg)
		}
	}
}

// open returns a file of the system with these contents.
func openSystem(t testing.TB, data []byte) *File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return iopath.NewFile(int(f.Fd()), false, false)
}

// With a driver made of threads the helpers do it all.
func TestTransfersOnPool(t *testing.T) {
	d, err := pool.New(pool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newOn(d, Options{Threads: 4})
	defer s.Close()
	data := bytes.Repeat([]byte("0123456789"), 5000)
	f := openSystem(t, data)
	f.CanLook.Store(false)
	readAhead(t, s, f, data)
	var all [16]Transfer
	for i := range all {
		s.StartWrite(&all[i], f, bytes.Repeat([]byte{byte('a' + i)}, 100), int64(i*100), 0, false)
	}
	for i := range all {
		if n, err := all[i].Wait(t.Context()); n != 100 || err != nil {
			t.Errorf("Wait = %d, %v", n, err)
		}
	}
	b := make([]byte, 1600)
	if n, err := s.ReadAt(t.Context(), f, b, 0); n != 1600 || err != nil || b[0] != 'a' || b[1599] != 'p' {
		t.Errorf("ReadAt = %d, %v, %q", n, err, b)
	}
}

// Starts, ends, contexts that end, and results of all kinds, at once.
func TestTransferStress(t *testing.T) {
	start := seed.Of(t)
	for _, depth := range []int{1, 4, 64} {
		script.Run(t, depth, func(t *testing.T, d *script.Driver, drv driver.Driver) {
			var n int
			d.Rule = func(op *driver.Op) (int32, bool) {
				n++
				return []int32{100, 100, 40, eagain, ecanceled, eintr, 0, -int32(syscall.EIO)}[n%8], true
			}
			s := newOn(drv, Options{Threads: 2})
			s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
			f := iopath.NewFile(1<<20, true, false)
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() { stressTransfers(t, s, f, rand.New(rand.NewPCG(start, uint64(g)))) })
			}
			wg.Wait()
			s.Close()
			if s.queuedOps() != 0 || s.permits() != 0 || waitForHelpers(s) != 0 {
				t.Errorf("%d waiting, %d places taken at the end", s.queuedOps(), s.permits())
			}
		})
	}
}

func stressTransfers(t *testing.T, s *Scheduler, f *File, rnd *rand.Rand) {
	var all [4]Transfer
	buf := make([]byte, 400)
	for range 200 {
		for i := range all {
			s.startTransfer(&all[i], driver.Read+driver.Code(i%2), f, buf[i*100:][:100], int64(i), 0, false)
		}
		for i := range all {
			ctx, cancel := context.WithCancel(context.Background())
			switch rnd.IntN(3) {
			case 0:
				cancel()
			case 1:
				go cancel()
			}
			n, err := all[i].Wait(ctx)
			if n != 100 && err == nil || n == 100 && err != nil {
				t.Errorf("Wait = %d, %v", n, err)
			}
			cancel()
		}
	}
}

// waitForHelpers is how many Transfers wait for a helper.
func waitForHelpers(s *Scheduler) (n int) {
	for _, d := range s.Devices().All() {
		for _, h := range d.Helpers {
			if h != nil {
				n += h.(*deviceHelpers).queue.Len()
			}
		}
	}
	return n
}
