package disturb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/aio"
	"github.com/sluiceio/sluice/internal/driver/disturb"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/sim"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// opened returns drv, or skips the test if the system does not have it.
func opened[D driver.Driver](t testing.TB, name string, drv D, err error) driver.Driver {
	t.Helper()
	if err != nil {
		skip.ForDriver(t, name, err)
	}
	return drv
}

// TestDriver runs the conformance suite on drivers whose completions are held back: a late result
// is still right. Short reads and interruptions are left out, as the suite wants full results.
func TestDriver(t *testing.T) {
	for name, open := range map[string]func(t testing.TB, depth int) driver.Driver{
		"uring": func(t testing.TB, depth int) driver.Driver {
			d, err := uring.New(uring.Options{Depth: depth})
			return opened(t, "uring", d, err)
		},
		"aio": func(t testing.TB, depth int) driver.Driver {
			d, err := aio.New(aio.Options{Depth: depth})
			return opened(t, "aio", d, err)
		},
		"pool": func(t testing.TB, depth int) driver.Driver {
			d, err := pool.New(pool.Options{Depth: depth})
			return opened(t, "pool", d, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, func(t testing.TB, depth int) driver.Driver {
				return disturb.New(open(t, depth), disturb.Options{Seed: seed.Of(t), Longest: 200 * time.Microsecond})
			})
		})
	}
}

// all are Options that disturb most operations.
var all = disturb.Options{Longest: 4 * time.Millisecond, Short: 0.3, Interrupted: 0.1}

// onSim returns a disturbed driver over a simulated disk, and a file of 64 KiB there.
func onSim(t testing.TB, o disturb.Options) (d driver.Driver, fd int32) {
	t.Helper()
	disk, err := sim.New(sim.Options{Seed: 1, Timed: true, Latency: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return disturb.New(disk, o), disk.Create("file", content)
}

var content = bytes.Repeat([]byte("0123456789abcdef"), 4<<10) // 64 KiB

func read(fd int32, off, n int) *driver.Op {
	return &driver.Op{Code: driver.Read, FD: fd, Off: int64(off), Buf: make([]byte, n)}
}

func submit(t testing.TB, d driver.Driver, ops ...*driver.Op) {
	t.Helper()
	if n, err := d.Submit(ops); n != len(ops) || err != nil {
		t.Fatalf("Submit = %d, %v; want %d, nil", n, err, len(ops))
	}
}

// reads returns n reads of a file, some of them equal.
func reads(fd int32, n int) (ops []*driver.Op) {
	for i := range n {
		ops = append(ops, read(fd, i%7*1000, 100+i%3*400))
	}
	return ops
}

// story returns what becomes of 60 reads: their order, results and times.
func story(t *testing.T, seed uint64) (text string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := all
		o.Seed = seed
		d, fd := onSim(t, o)
		defer d.Close()
		ops := reads(fd, 60)
		start, index := time.Now(), make(map[*driver.Op]int)
		for i, op := range ops {
			index[op] = i
		}
		submit(t, d, ops...)
		var told strings.Builder
		done := make([]*driver.Op, 8)
		for left := len(ops); left > 0; {
			n, err := d.Reap(done, 1)
			if err != nil {
				t.Fatal(err)
			}
			left -= n
			for _, op := range done[:n] {
				fmt.Fprintln(&told, index[op], op.Res, time.Since(start))
			}
		}
		text = told.String()
	})
	return text
}

// TestSameSeed checks that a seed decides order, results and times.
func TestSameSeed(t *testing.T) {
	s := seed.Of(t)
	if a, b := story(t, s), story(t, s); a != b {
		t.Errorf("the same seed gave\n%s\nand\n%s", a, b)
	}
	if story(t, s) == story(t, s+1) {
		t.Error("another seed gave the same")
	}
}

// TestFateOfOne checks that the fate of an operation does not depend on operations that do
// something else.
func TestFateOfOne(t *testing.T) {
	alone, among := make(map[int64]int32), make(map[int64]int32)
	for _, c := range []struct {
		results map[int64]int32
		others  bool
	}{{alone, false}, {among, true}} {
		synctest.Test(t, func(t *testing.T) {
			o := all
			o.Seed = 7
			d, fd := onSim(t, o)
			defer d.Close()
			for off := range 40 {
				op := read(fd, off*16, 64)
				submit(t, d, op)
				ops := []*driver.Op{op}
				if c.others {
					ops = append(ops, read(fd, off*32, 128))
					submit(t, d, ops[1])
				}
				for range ops {
					if _, err := d.Reap(make([]*driver.Op, 1), 1); err != nil {
						t.Fatal(err)
					}
				}
				c.results[op.Off] = op.Res
			}
		})
	}
	for off, want := range alone {
		if among[off] != want {
			t.Errorf("the read at %d is %d among others; want %d, as alone", off, among[off], want)
		}
	}
}

// TestNothingLost reads a file with all disturbances at once. Each operation comes back once, as it
// was submitted, with a result that read(2) may have.
func TestNothingLost(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inner, err := pool.New(pool.Options{Threads: 4, Depth: 16})
	if err != nil {
		t.Fatal(err)
	}
	o := all
	o.Seed, o.Longest, o.Counts = seed.Of(t), 100*time.Microsecond, new(disturb.Counts)
	o.Dropped, o.Drop = 0.5, func(int, int64, int64) {}
	d := disturb.New(inner, o)
	defer d.Close()
	ops := reads(int32(f.Fd()), 2000)
	left := ops
	back := make(map[*driver.Op]int)
	done := make([]*driver.Op, 5)
	for len(back) < len(ops) {
		n, err := d.Submit(left)
		if err != nil {
			t.Fatal(err)
		}
		left = left[n:]
		if n, err = d.Reap(done, 1); err != nil {
			t.Fatal(err)
		}
		for _, op := range done[:n] {
			back[op]++
		}
	}
	var short, interrupted int64
	for i, op := range ops {
		size := 100 + i%3*400
		if back[op] != 1 || op.Code != driver.Read || len(op.Buf) != size || op.FD != int32(f.Fd()) {
			t.Fatalf("operation %d came back %d times, as %+v", i, back[op], op)
		}
		switch {
		case op.Res == -int32(syscall.EINTR):
			interrupted++
		case op.Res < 1 || int(op.Res) > size:
			t.Fatalf("operation %d = %d; want EINTR, or 1 to %d", i, op.Res, size)
		case int(op.Res) < size:
			short++
		}
		if n := max(op.Res, 0); !bytes.Equal(op.Buf[:n], content[op.Off:][:n]) || !bytes.Equal(op.Buf[n:], make([]byte, size-int(n))) {
			t.Fatalf("operation %d has other bytes than the file, or bytes behind its result", i)
		}
	}
	c := o.Counts
	if short == 0 || interrupted == 0 || c.Short.Load() != short || c.Interrupted.Load() != interrupted {
		t.Errorf("%d short, %d interrupted; counted %d and %d", short, interrupted, c.Short.Load(), c.Interrupted.Load())
	}
	if held, dropped := c.Held.Load(), c.Dropped.Load(); held < 500 || held > 1500 || dropped < 500 || dropped > 1500 {
		t.Errorf("%d held, %d dropped of 2000; want about half", held, dropped)
	}
}

// TestDrop checks what the page cache is asked to drop.
func TestDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := 0
		o := disturb.Options{Seed: 3, Dropped: 1}
		o.Drop = func(fd int, off, n int64) {
			if n == 0 && off == 0 {
				whole++
			} else if n != 8 || off%16 != 0 {
				t.Errorf("Drop(%d, %d, %d); want 8 bytes at a multiple of 16", fd, off, n)
			}
		}
		d, fd := onSim(t, o)
		defer d.Close()
		for i := range 100 {
			submit(t, d, read(fd, i*16, 8))
		}
		if whole == 0 || whole == 100 {
			t.Errorf("%d of 100 times the whole file is dropped", whole)
		}
		direct := read(fd, 0, 4096)
		direct.Flags = driver.Direct
		o.Drop = func(int, int64, int64) { t.Error("Drop for a file with O_DIRECT") }
		d2, _ := onSim(t, o)
		defer d2.Close()
		submit(t, d2, direct, &driver.Op{Code: driver.Write, FD: fd, Buf: []byte("x")})
	})
}

// TestDirect checks that a short read of a file with O_DIRECT ends at a page.
func TestDirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, fd := onSim(t, disturb.Options{Seed: 1, Short: 1})
		defer d.Close()
		short := 0
		for _, n := range []int{512, 4096, 6000, 8192, 32 << 10} {
			op := read(fd, 0, n)
			op.Flags = driver.Direct
			submit(t, d, op)
			d.Reap(make([]*driver.Op, 1), 1)
			if op.Res <= 0 || int(op.Res) != n && op.Res%4096 != 0 {
				t.Errorf("a read of %d bytes = %d; want a multiple of 4096, or all", n, op.Res)
			}
			if int(op.Res) < n {
				short++
			}
		}
		if short != 2 {
			t.Errorf("%d short reads; want 2: of two pages, and of eight", short)
		}
	})
}

// TestLastOffset checks that a read that would pass the last offset is refused, as the kernel
// refuses it: a part of it may be accepted.
func TestLastOffset(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inner, err := pool.New(pool.Options{Depth: 4})
	d := disturb.New(opened(t, "pool", inner, err), disturb.Options{Seed: 1, Short: 1})
	defer d.Close()
	op := read(int32(f.Fd()), 0, 4096)
	op.Off = math.MaxInt64 - 4095
	submit(t, d, op)
	d.Reap(make([]*driver.Op, 1), 1)
	if op.Res != -int32(syscall.EINVAL) {
		t.Errorf("read = %d; want %d", op.Res, -int32(syscall.EINVAL))
	}
}

// heldBack submits reads until one of them is held back for a day, and returns it.
func heldBack(t *testing.T, d driver.Driver, fd int32) *driver.Op {
	t.Helper()
	var all []*driver.Op
	for i := range 64 {
		all = append(all, read(fd, i, 1))
	}
	submit(t, d, all...)
	done := make([]*driver.Op, 1)
	for start := time.Now(); time.Since(start) < time.Second; time.Sleep(10 * time.Millisecond) {
		for n := 1; n > 0; {
			n, _ = d.Reap(done, 0)
			all = slices.DeleteFunc(all, func(op *driver.Op) bool { return n > 0 && op == done[0] })
		}
	}
	if len(all) == 0 {
		t.Fatal("none of 64 reads is held back")
	}
	return all[0]
}

// TestHeld cancels a completion that is held back, wakes a Reap that waits for one, and closes the
// driver over the rest.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		d, fd := onSim(t, disturb.Options{Seed: 5, Longest: 1000 * day})
		op := heldBack(t, d, fd)
		start := time.Now()
		reaped := make(chan *driver.Op)
		done := make([]*driver.Op, 1)
		reap := func() {
			if n, err := d.Reap(done, 1); n == 0 || err != nil {
				reaped <- nil
				return
			}
			reaped <- done[0]
		}
		go reap()
		synctest.Wait()
		d.Wake()
		if got := <-reaped; got != nil {
			t.Errorf("Reap returned %+v after a Wake; want nothing", got)
		}
		go reap()
		synctest.Wait()
		d.Cancel(op)
		if got := <-reaped; got != op || op.Res != 1 {
			t.Errorf("Reap returned %+v after a Cancel; want the canceled one, with its ordinary result", got)
		}
		if passed := time.Since(start); passed != 0 {
			t.Errorf("%v have passed; want none", passed)
		}
		go reap() // a new operation is not late because others are held back
		synctest.Wait()
		next := read(fd, 100, 1)
		submit(t, d, next)
		d.Cancel(next)
		if got := <-reaped; got != next {
			t.Errorf("Reap returned %+v; want the new operation", got)
		}
		if err := d.Close(); err != nil {
			t.Errorf("Close = %v; want nil", err)
		}
		if passed := time.Since(start); passed > time.Second {
			t.Errorf("%v have passed; Close waits for what is held back", passed)
		}
	})
}

// TestClose closes a driver that has operations in every state: each has its result.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := all
		o.Seed, o.Longest = 2, 24*time.Hour
		d, fd := onSim(t, o)
		ops := reads(fd, 100)
		for _, op := range ops {
			op.Res = -1000
		}
		submit(t, d, ops[:50]...)
		time.Sleep(10 * time.Millisecond)
		if _, err := d.Reap(nil, 0); err != nil {
			t.Fatal(err)
		}
		submit(t, d, ops[50:]...)
		if err := d.Close(); err != nil {
			t.Errorf("Close = %v; want nil", err)
		}
		for i, op := range ops {
			if op.Res == -1000 || op.Code != driver.Read || len(op.Buf) != 100+i%3*400 {
				t.Errorf("operation %d after Close: %+v; want a result, and the rest as it was", i, op)
			}
		}
		if n, err := d.Submit(reads(fd, 1)); n != 0 || !errors.Is(err, driver.ErrClosed) {
			t.Errorf("Submit after Close = %d, %v; want 0, ErrClosed", n, err)
		}
	})
}

// TestLoss checks that a lost driver returns what was held back, at once.
func TestLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk, err := sim.New(sim.Options{Timed: true})
		if err != nil {
			t.Fatal(err)
		}
		why := errors.New("lost")
		inner, loss := fault.NewLoss(disk, 1000, why)
		d := disturb.New(inner, disturb.Options{Seed: 4, Longest: 24 * time.Hour})
		defer d.Close()
		ops := reads(disk.Create("file", content), 40)
		submit(t, d, ops...)
		start, back := time.Now(), 0
		done := make([]*driver.Op, 64)
		n, err := d.Reap(done, 0)
		if err != nil || n == len(ops) {
			t.Fatalf("Reap = %d, %v; want fewer than all, nil", n, err)
		}
		back += n
		loss.Now()
		for back < len(ops) {
			n, err := d.Reap(done, 1)
			if n == 0 || !errors.Is(err, why) {
				t.Fatalf("Reap of a lost driver = %d, %v; want some, and the error", n, err)
			}
			back += n
		}
		if passed := time.Since(start); passed != 0 {
			t.Errorf("%v have passed; want none", passed)
		}
	})
}

// TestRarer checks that a program with many operations is not held up without end: of the second
// half of 200,000 Nops, few are late.
func TestRarer(t *testing.T) {
	inner, err := pool.New(pool.Options{Threads: 2, Depth: 64})
	if err != nil {
		t.Fatal(err)
	}
	o := disturb.Options{Seed: 1, Longest: time.Microsecond, Counts: new(disturb.Counts)}
	d := disturb.New(inner, o)
	defer d.Close()
	done := make([]*driver.Op, 64)
	ops := make([]*driver.Op, 64)
	for i := range ops {
		ops[i] = new(driver.Op)
	}
	var late [2]int64
	for half := range late {
		before := o.Counts.Held.Load()
		for range 100_000 / len(ops) {
			submit(t, d, ops...)
			if n, err := d.Reap(done, len(ops)); n != len(ops) || err != nil {
				t.Fatalf("Reap = %d, %v; want %d, nil", n, err, len(ops))
			}
		}
		late[half] = o.Counts.Held.Load() - before
	}
	if late[0] < 15_000 || late[1] > late[0]/3 || late[1] == 0 {
		t.Errorf("%d and %d of 100,000 operations were late; want many, and then few", late[0], late[1])
	}
}
