package fault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// onPool returns a faulty driver over a pool that performs operations in order.
func onPool(t testing.TB, depth int, decide fault.Decider) driver.Driver {
	t.Helper()
	p, err := pool.New(pool.Options{Threads: 1, Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	d := fault.New(p, decide)
	t.Cleanup(func() { d.Close() })
	return d
}

func onRing(t testing.TB, depth int, decide fault.Decider) driver.Driver {
	t.Helper()
	ring, err := uring.New(uring.Options{Depth: depth})
	if err != nil {
		skip.ForDriver(t, "uring", err)
	}
	return fault.New(ring, decide)
}

// TestDriver runs the conformance suite on drivers without faults, and on drivers that are only
// slow: a late result is still right.
func TestDriver(t *testing.T) {
	late := func(seed uint64) fault.Decider {
		random := fault.Random(seed, 0.3, fault.Verdict{Late: 1}, fault.Verdict{Late: 5}, fault.Verdict{Late: 1000})
		return func(op *driver.Op) fault.Verdict {
			if op.Code == driver.Nop {
				// The suite waits for one operation while another is stuck; a late operation would
				// wait for other ones.
				return fault.Verdict{}
			}
			return random(op)
		}
	}
	for _, tt := range []struct {
		name   string
		open   func(testing.TB, int, fault.Decider) driver.Driver
		decide fault.Decider
	}{
		{"Pool", onPool, fault.None},
		{"PoolLate", onPool, late(1)},
		{"Ring", onRing, fault.None},
		{"RingLate", onRing, late(2)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			drivertest.Run(t, func(t testing.TB, depth int) driver.Driver { return tt.open(t, depth, tt.decide) })
		})
	}
}

// file makes a file with these contents.
func file(t testing.TB, data string) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "file"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.WriteString(data); err != nil {
		t.Fatal(err)
	}
	return f
}

func contents(t testing.TB, f *os.File) string {
	t.Helper()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func submit(t testing.TB, d driver.Driver, ops ...*driver.Op) {
	t.Helper()
	if n, err := d.Submit(ops); n != len(ops) || err != nil {
		t.Fatalf("Submit = %d, %v; want %d, nil", n, err, len(ops))
	}
}

// reap reaps one operation.
func reap(t testing.TB, d driver.Driver) *driver.Op {
	t.Helper()
	done := make([]*driver.Op, 1)
	if n, err := d.Reap(done, 1); n != 1 || err != nil {
		t.Fatalf("Reap = %d, %v; want 1, nil", n, err)
	}
	return done[0]
}

func do(t testing.TB, d driver.Driver, op *driver.Op) int32 {
	t.Helper()
	submit(t, d, op)
	reap(t, d)
	return op.Res
}

func read(f *os.File, off int64, n int) *driver.Op {
	return &driver.Op{Code: driver.Read, FD: int32(f.Fd()), Off: off, Buf: make([]byte, n)}
}

func write(f *os.File, off int64, s string) *driver.Op {
	return &driver.Op{Code: driver.Write, FD: int32(f.Fd()), Off: off, Buf: []byte(s)}
}

// TestErrno makes each of a few operations fail in turn.
func TestErrno(t *testing.T) {
	for at := 0; ; at++ {
		f := file(t, "abcdef")
		count := fault.NewCounter(at, fault.Verdict{Errno: syscall.EIO})
		d := onPool(t, 8, count.Decide)
		ops := []*driver.Op{read(f, 0, 3), write(f, 3, "DEF"), {Code: driver.Fsync, FD: int32(f.Fd())}}
		before := make([]driver.Op, len(ops))
		for i, op := range ops {
			before[i] = *op
			want := int32(len(op.Buf))
			if i == at {
				want = -int32(syscall.EIO)
			}
			if got := do(t, d, op); got != want {
				t.Errorf("operation %d = %d with number %d failing; want %d", i, got, at, want)
			}
			if op.Code != before[i].Code || op.FD != before[i].FD || !bytes.Equal(op.Buf, before[i].Buf) && i != 0 {
				t.Errorf("operation %d came back changed: %+v", i, op)
			}
		}
		wantRead, wantFile := "abc", "abcDEF"
		switch at {
		case 0:
			wantRead = "\x00\x00\x00"
		case 1:
			wantFile = "abcdef"
		}
		if got := string(ops[0].Buf); got != wantRead {
			t.Errorf("Read gave %q with number %d failing; want %q", got, at, wantRead)
		}
		if got := contents(t, f); got != wantFile {
			t.Errorf("file = %q with number %d failing; want %q", got, at, wantFile)
		}
		if !count.Fired() {
			if at != len(ops) || count.Seen() != len(ops) {
				t.Errorf("the counter of number %d saw %d operations; want %d", at, count.Seen(), len(ops))
			}
			return
		}
	}
}

func TestShort(t *testing.T) {
	f := file(t, "abcdef")
	d := onPool(t, 8, func(*driver.Op) fault.Verdict { return fault.Verdict{Short: 2} })
	r := read(f, 1, 5)
	if got := do(t, d, r); got != 3 || string(r.Buf) != "bcd\x00\x00" {
		t.Errorf("Read = %d, %q; want 3, %q", got, r.Buf, "bcd\x00\x00")
	}
	if got := do(t, d, write(f, 0, "ABCD")); got != 2 {
		t.Errorf("Write = %d; want 2", got)
	}
	if got := contents(t, f); got != "ABcdef" {
		t.Errorf("file = %q; want ABcdef", got)
	}
	if got := do(t, d, write(f, 5, "F")); got != 1 {
		t.Errorf("Write of one byte, short by two = %d; want 1", got)
	}
	if got := do(t, d, read(f, 0, 0)); got != 0 {
		t.Errorf("empty Read = %d; want 0", got)
	}
}

func TestFirst(t *testing.T) {
	f := file(t, "abcdef")
	d := onPool(t, 8, fault.On(driver.Read, fault.First(2, fault.Verdict{Errno: syscall.EINTR})))
	for _, off := range []int64{0, 3} {
		for _, want := range []int32{-int32(syscall.EINTR), -int32(syscall.EINTR), 3, 3} {
			if got := do(t, d, read(f, off, 3)); got != want {
				t.Errorf("Read at %d = %d; want %d", off, got, want)
			}
		}
	}
	if got := do(t, d, write(f, 0, "x")); got != 1 {
		t.Errorf("Write = %d; want 1: On lets other codes pass", got)
	}
}
