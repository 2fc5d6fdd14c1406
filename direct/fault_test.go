package direct_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// faulty makes a File of blocks of text. decide decides the outcome of its operations.
func faulty(t *testing.T, size int, decide fault.Decider) (*direct.File, []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	text := bytes.Repeat([]byte(testenv.Twenty), size/len(testenv.Twenty)+1)[:size]
	testenv.Write(t, name, string(text))
	inner, err := pool.New(pool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := testenv.SchedulerOn(fault.New(asynchronous{inner}, decide))
	f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(f.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return f, text
}

// asynchronous is a driver that claims to queue direct operations.
type asynchronous struct{ driver.Driver }

func (asynchronous) Async(op *driver.Op) bool { return op.Flags&driver.Direct != 0 }

// transfers have all shapes: aligned, within blocks, over the end, large.
var transfers = []struct{ off, n, start int }{
	{0, 2 * testenv.PageSize, 0},
	{0, 2 * testenv.PageSize, 1},
	{100, 100, 0},
	{100, 3 * testenv.PageSize, 0},
	{testenv.PageSize, testenv.PageSize + 7, 0},
	{500, 2 << 20, 0},
	{1, 2 << 20, testenv.PageSize - 1},
	{10*testenv.PageSize - 1000, 5 * testenv.PageSize, 0},
	{10*testenv.PageSize - 1000, 30 * testenv.PageSize, 3},
	{12 * testenv.PageSize, 20*testenv.PageSize + 1, 0},
}

const faultySize = 10*testenv.PageSize + 33

// TestDirectFaults makes each operation of each transfer fail once. The call returns the error and
// counts only transferred bytes. No other byte changes.
func TestDirectFaults(t *testing.T) {
	buf := testenv.AlignedBytes(2<<20 + 2*testenv.PageSize)
	for _, at := range transfers {
		for k := 0; ; k++ {
			count := fault.NewCounter(k, fault.Verdict{Errno: syscall.EIO})
			f, text := faulty(t, faultySize, count.Decide)
			b := buf[at.start:][:at.n]
			n, err := f.ReadAt(b, int64(at.off))
			fired := count.Fired()
			beyond := at.off+at.n > len(text) // the read is tried again, up to the end
			switch {
			case fired && !errors.Is(err, syscall.EIO) && (!beyond || err != io.EOF):
				t.Errorf("%v: operation %d failed, and ReadAt = %d, %v", at, k, n, err)
			case !fired && (n != min(at.n, max(0, len(text)-at.off)) || err != nil && err != io.EOF):
				t.Errorf("%v: ReadAt = %d, %v", at, n, err)
			}
			if n > 0 && !bytes.Equal(b[:n], text[at.off:][:n]) {
				t.Errorf("%v: operation %d failed, and ReadAt has other bytes", at, k)
			}
			if !fired {
				break
			}
		}
		for k := 0; ; k++ {
			count := fault.NewCounter(k, fault.Verdict{Errno: syscall.EIO})
			f, text := faulty(t, faultySize, count.Decide)
			b := buf[at.start:][:at.n]
			for i := range b {
				b[i] = byte(i)
			}
			n, err := f.WriteAt(b, int64(at.off))
			fired := count.Fired()
			if fired != errors.Is(err, syscall.EIO) || !fired && (n != at.n || err != nil) {
				t.Errorf("%v: operation %d failed: %v, and WriteAt = %d, %v", at, k, fired, n, err)
			}
			written(t, f.Name(), text, b, at.off, n)
			if !fired {
				break
			}
		}
	}
}

// written checks that a file has the first n bytes of b at off, and nothing else of b.
func written(t *testing.T, name string, text, b []byte, off, n int) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) < len(text) || len(got) > max(len(text), off+len(b)) || n > 0 && len(got) < off+n {
		t.Errorf("%d bytes, of %d with %d more at %d", len(got), len(text), n, off)
		return
	}
	if n > 0 && !bytes.Equal(got[off:][:n], b[:n]) {
		t.Errorf("what WriteAt counts was not written at %d", off)
	}
	before := min(off, len(text))
	if !bytes.Equal(got[:before], text[:before]) {
		t.Errorf("bytes before %d have changed", off)
	}
	if end := off + len(b); end < len(text) && !bytes.Equal(got[end:len(text)], text[end:]) {
		t.Errorf("bytes behind %d have changed", end)
	}
}

// TestDirectShort cuts transfers short by whole blocks, and interrupts them.
func TestDirectShort(t *testing.T) {
	buf := testenv.AlignedBytes(2<<20 + 2*testenv.PageSize)
	for _, v := range []fault.Verdict{{Short: testenv.PageSize}, {Errno: syscall.EAGAIN}, {Errno: syscall.EINTR}} {
		for _, at := range transfers {
			// A transfer of one page would become one byte: leave it whole.
			decide := func(op *driver.Op) fault.Verdict {
				if v.Short > 0 && len(op.Buf) <= v.Short {
					return fault.Verdict{}
				}
				return v
			}
			f, text := faulty(t, faultySize, decide)
			b := buf[at.start:][:at.n]
			want := min(at.n, max(0, len(text)-at.off))
			n, err := f.ReadAt(b, int64(at.off))
			if n != want || (err == io.EOF) != (n < at.n) || err != nil && err != io.EOF || n > 0 && !bytes.Equal(b[:n], text[at.off:][:n]) {
				t.Errorf("%v, %+v: ReadAt = %d, %v; want %d", at, v, n, err, want)
			}
			for i := range b {
				b[i] = byte(i)
			}
			if n, err := f.WriteAt(b, int64(at.off)); n != at.n || err != nil {
				t.Errorf("%v, %+v: WriteAt = %d, %v", at, v, n, err)
			}
			written(t, f.Name(), text, b, at.off, at.n)
		}
	}
}

// TestDirectUnfit makes the kernel refuse direct writes as unaligned, as a file system does that
// needs more alignment than it reports. The page cache then serves them.
func TestDirectUnfit(t *testing.T) {
	buf := testenv.AlignedBytes(2<<20 + 2*testenv.PageSize)
	for _, at := range transfers {
		f, text := faulty(t, faultySize, fault.On(driver.Write, func(*driver.Op) fault.Verdict {
			return fault.Verdict{Errno: syscall.EINVAL}
		}))
		b := buf[at.start:][:at.n]
		if n, err := f.WriteAt(b, int64(at.off)); n != at.n || err != nil {
			t.Errorf("%v: WriteAt = %d, %v", at, n, err)
		}
		written(t, f.Name(), text, b, at.off, at.n)
	}
}
