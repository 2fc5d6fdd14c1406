package sim_test

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
	"github.com/sluiceio/sluice/internal/driver/sim"
)

// simFile is a drivertest.File.
type simFile struct {
	d  *sim.Disk
	fd int32
}

func (f simFile) FD() int32                  { return f.fd }
func (f simFile) Contents(testing.TB) []byte { return f.d.Contents(f.fd) }

func TestDriver(t *testing.T) {
	for _, o := range []sim.Options{{Seed: 1}, {Seed: 2, Latency: time.Nanosecond}, {Ordered: true}} {
		t.Run(fmt.Sprintf("Seed%d", o.Seed), func(t *testing.T) {
			files := 0
			drivertest.Suite{
				Open: func(t testing.TB, depth int) driver.Driver { o.Depth = depth; return disk(t, o) },
				Create: func(t testing.TB, d driver.Driver, data []byte) drivertest.File {
					files++
					return simFile{d.(*sim.Disk), d.(*sim.Disk).Create(fmt.Sprint(files), data)}
				},
			}.Run(t)
		})
	}
}

func disk(t testing.TB, o sim.Options) *sim.Disk {
	t.Helper()
	d, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func submit(t testing.TB, d driver.Driver, ops ...*driver.Op) {
	t.Helper()
	if n, err := d.Submit(ops); n != len(ops) || err != nil {
		t.Fatalf("Submit = %d, %v; want %d, nil", n, err, len(ops))
	}
}

func reap(t testing.TB, d driver.Driver, n int) []*driver.Op {
	t.Helper()
	done := make([]*driver.Op, n)
	if got, err := d.Reap(done, n); got != n || err != nil {
		t.Fatalf("Reap = %d, %v; want %d, nil", got, err, n)
	}
	return done
}

func do(t testing.TB, d driver.Driver, op *driver.Op) int32 {
	t.Helper()
	submit(t, d, op)
	reap(t, d, 1)
	return op.Res
}

func read(fd int32, off int64, n int) *driver.Op {
	return &driver.Op{Code: driver.Read, FD: fd, Off: off, Buf: make([]byte, n)}
}

func write(fd int32, off int64, s string) *driver.Op {
	return &driver.Op{Code: driver.Write, FD: fd, Off: off, Buf: []byte(s)}
}

func fsync(fd int32) *driver.Op { return &driver.Op{Code: driver.Fsync, FD: fd} }

func want(t testing.TB, what string, got, want int32) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %d; want %d", what, got, want)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []sim.Options{
		{Depth: -1}, {Sector: -1}, {Latency: -1}, {Short: -0.1}, {Short: 1.1}, {Fail: -0.1}, {Fail: 1.1}, {Space: -1},
	} {
		if _, err := sim.New(o); err == nil {
			t.Errorf("New(%+v) = nil; want an error", o)
		}
	}
}

// trace returns the outcome of a fixed sequence of operations.
func trace(t testing.TB, seed uint64) string {
	var s strings.Builder
	d := disk(t, sim.Options{Seed: seed, Short: 0.3, Fail: 0.2, Errnos: []syscall.Errno{syscall.EIO, syscall.EAGAIN}})
	fd := d.Create("a", bytes.Repeat([]byte("a"), 20000))
	index := map[*driver.Op]int{}
	for i := range 40 {
		op := write(fd, int64(i)*1000, strings.Repeat("b", 3000))
		if i%3 == 0 {
			op = read(fd, int64(i)*700, 2000)
		}
		index[op] = i
		submit(t, d, op)
		if i%5 == 4 {
			d.Cancel(op)
			for _, op := range reap(t, d, 4) {
				fmt.Fprintln(&s, index[op], op.Res, d.Now())
			}
		}
	}
	after := d.Crash()
	fmt.Fprintf(&s, "%q", after.Contents(after.Open("a")))
	return s.String()
}

func TestSeed(t *testing.T) {
	one := trace(t, 1)
	if again := trace(t, 1); again != one {
		t.Errorf("seed 1 gives\n%s\nand then\n%s", one, again)
	}
	if two := trace(t, 2); two == one {
		t.Error("seeds 1 and 2 give the same")
	}
}

func TestOrder(t *testing.T) {
	inOrder := func(o sim.Options) bool {
		d := disk(t, o)
		ops := make([]*driver.Op, 100)
		for i := range ops {
			ops[i] = &driver.Op{Off: int64(i)}
		}
		submit(t, d, ops...)
		for i, op := range reap(t, d, 100) {
			if op != ops[i] {
				return false
			}
		}
		return true
	}
	if inOrder(sim.Options{}) {
		t.Error("100 operations complete in the order of submission; want another")
	}
	if !inOrder(sim.Options{Ordered: true}) {
		t.Error("operations complete in another order than that of submission; want Ordered")
	}
}

func TestShort(t *testing.T) {
	d := disk(t, sim.Options{Short: 1})
	fd := d.Create("a", []byte("0123456789"))
	short := 0
	for range 50 {
		r := read(fd, 0, 10)
		n := do(t, d, r)
		if n < 1 || n > 10 || string(r.Buf[:n]) != "0123456789"[:n] || strings.Trim(string(r.Buf[n:]), "\x00") != "" {
			t.Fatalf("short Read = %d, %q", n, r.Buf)
		}
		if n < 10 {
			short++
		}
	}
	if short < 25 {
		t.Errorf("%d of 50 reads are short; want most", short)
	}
	want(t, "Read of one byte", do(t, d, read(fd, 3, 1)), 1)
	n := do(t, d, write(fd, 10, "abcdef"))
	if got, want := string(d.Contents(fd)), "0123456789"+"abcdef"[:n]; got != want {
		t.Errorf("file after a Write of %d = %q; want %q", n, got, want)
	}
}

func TestFail(t *testing.T) {
	d := disk(t, sim.Options{Fail: 1, Errnos: []syscall.Errno{syscall.EDQUOT}})
	fd := d.Create("a", []byte("abc"))
	r := read(fd, 0, 3)
	for _, op := range []*driver.Op{r, write(fd, 0, "x"), fsync(fd)} {
		want(t, op.Code.String(), do(t, d, op), -int32(syscall.EDQUOT))
	}
	if string(r.Buf) != "\x00\x00\x00" || string(d.Contents(fd)) != "abc" {
		t.Errorf("after failures: buffer %q, file %q; want both untouched", r.Buf, d.Contents(fd))
	}
}

func TestErrno(t *testing.T) {
	d := disk(t, sim.Options{})
	fd := d.Create("a", []byte("abc"))
	for i, tt := range []struct {
		op    *driver.Op
		errno syscall.Errno
	}{
		{read(0, 0, 1), syscall.EBADF},
		{fsync(-1), syscall.EBADF},
		{write(fd+1, 0, "x"), syscall.EBADF},
		{read(fd, -1, 1), syscall.EINVAL},
		{write(fd, -1, "x"), syscall.EINVAL},
		{write(fd, 1<<40, "x"), syscall.EFBIG},
	} {
		want(t, fmt.Sprint("operation ", i), do(t, d, tt.op), -int32(tt.errno))
	}
	other := d.Open("a")
	d.CloseFile(fd)
	want(t, "Read of a closed file", do(t, d, read(fd, 0, 1)), -int32(syscall.EBADF))
	want(t, "Read by another descriptor", do(t, d, read(other, 0, 9)), 3)
	if fd := d.Open("b"); fd != -1 {
		t.Errorf("Open of a file that is not there = %d; want -1", fd)
	}
}

func TestSpace(t *testing.T) {
	d := disk(t, sim.Options{Space: 10})
	a, b := d.Create("a", []byte("abc")), d.Create("b", nil)
	want(t, "Write across the limit", do(t, d, write(b, 0, "0123456789")), 7)
	want(t, "Write past the limit", do(t, d, write(b, 7, "x")), -int32(syscall.ENOSPC))
	want(t, "overwrite on a full disk", do(t, d, write(a, 0, "ABC")), 3)
	if string(d.Contents(a)) != "ABC" || string(d.Contents(b)) != "0123456" {
		t.Errorf("files are %q and %q", d.Contents(a), d.Contents(b))
	}
}

func TestHold(t *testing.T) {
	d := disk(t, sim.Options{})
	fd := d.Create("a", []byte("abc"))
	d.Hold(func(op *driver.Op) bool { return op.Code == driver.Read })
	stuck := []*driver.Op{read(fd, 0, 3), read(fd, 1, 2)}
	submit(t, d, stuck...)
	want(t, "Write while another operation is held", do(t, d, write(fd, 0, "A")), 1)
	d.Wake()
	if n, err := d.Reap(make([]*driver.Op, 2), 1); n != 0 || err != nil {
		t.Errorf("Reap while an operation is held, and a Wake = %d, %v; want 0, nil", n, err)
	}
	d.Cancel(stuck[1])
	if op := reap(t, d, 1)[0]; op != stuck[1] || op.Res != -int32(syscall.ECANCELED) {
		t.Errorf("cancelled Read = %d; want %d", op.Res, -int32(syscall.ECANCELED))
	}
	go d.Release()
	if op := reap(t, d, 1)[0]; op != stuck[0] || string(op.Buf) != "Abc" {
		t.Errorf("Read after Release gives %q; want Abc", op.Buf)
	}
	want(t, "Read after Release", do(t, d, read(fd, 0, 3)), 3)
}
