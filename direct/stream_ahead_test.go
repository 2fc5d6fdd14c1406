package direct_test

import (
	"bytes"
	"io"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// counted makes a file of 16 buffers of aheadSize, and counts its reads.
func counted(t *testing.T) (f *direct.File, text []byte, reads func() int) {
	count := fault.NewCounter(-1, fault.Verdict{})
	f, text = faulty(t, 16*aheadSize, fault.On(driver.Read, count.Decide))
	return f, text, count.Seen
}

const aheadSize = 128 << 10 // 128 KiB

// TestReadAhead checks that the first read starts a request for each buffer, and that each consumed
// buffer starts one more. Read consumes a buffer at its end, and Next in the following call. No
// byte is read twice.
func TestReadAhead(t *testing.T) {
	f, text, reads := counted(t)
	r := reader(t, f, direct.ReaderOptions{BufferSize: aheadSize, ReadAhead: 4})
	b := make([]byte, aheadSize)
	for i, call := range []struct {
		next  bool
		bytes int
		reads int
	}{
		{false, 1, 4},
		{false, aheadSize - 1, 5},
		{false, aheadSize, 6},
		{true, aheadSize, 6},
		{true, aheadSize, 7},
		{false, aheadSize, 9}, // the Buffer that Next has returned counts as well
	} {
		var n int
		if call.next {
			buf, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			n = buf.Len()
			buf.Release()
		} else {
			var err error
			if n, err = r.Read(b[:call.bytes]); err != nil {
				t.Fatal(err)
			}
		}
		if n != call.bytes {
			t.Fatalf("call %d has %d bytes; want %d", i, n, call.bytes)
		}
		testenv.WaitFor(t, "the requests", func() bool { return reads() >= call.reads })
		if n := reads(); n != call.reads {
			t.Errorf("%d requests after call %d; want %d", n, i, call.reads)
		}
	}
	if rest, err := io.ReadAll(r); !bytes.Equal(rest, text[5*aheadSize:]) || err != nil {
		t.Errorf("%d bytes, %v", len(rest), err)
	}
	if n := reads(); n != 16 {
		t.Errorf("%d requests for 16 buffers", n)
	}
}

// TestSeekKeepsTheWindow checks that bytes that were read ahead are not read again, neither after a
// Seek among them nor after one to the end and back.
func TestSeekKeepsTheWindow(t *testing.T) {
	f, text, reads := counted(t)
	r := reader(t, f, direct.ReaderOptions{BufferSize: aheadSize, ReadAhead: 4})
	if _, err := readByte(r); err != nil {
		t.Fatal(err)
	}
	for _, to := range []int64{aheadSize / 2, 10, 2*aheadSize + 5} {
		if size, err := r.Seek(0, io.SeekEnd); size != 16*aheadSize || err != nil {
			t.Fatalf("Seek = %d, %v", size, err)
		}
		if pos, err := r.Seek(to, io.SeekStart); pos != to || err != nil {
			t.Fatalf("Seek = %d, %v", pos, err)
		}
		if c, err := readByte(r); c != text[to] || err != nil {
			t.Errorf("Read of a byte at %d = %q, %v; want %q", to, c, err, text[to])
		}
	}
	if rest, err := io.ReadAll(r); !bytes.Equal(rest, text[2*aheadSize+6:]) || err != nil {
		t.Errorf("%d bytes, %v", len(rest), err)
	}
	if n := reads(); n != 16 {
		t.Errorf("%d requests for 16 buffers", n)
	}
}

// TestSmallBuffersAreReadAsOne checks that neighbouring buffers are one request, which fills the
// memory that the pool gives for them.
func TestSmallBuffersAreReadAsOne(t *testing.T) {
	for _, of := range []struct{ size, count, request, memory int }{
		{4 << 10, 1, 4 << 10, 4 << 10},
		{4 << 10, 3, 4 << 10, 12 << 10},
		{4 << 10, 10, 32 << 10, 64 << 10}, // five of them need 20 KiB
		{4 << 10, 50, 128 << 10, 256 << 10},
		{12 << 10, 10, 60 << 10, 128 << 10}, // six of them would need more than 64 KiB
		{100 << 10, 4, 100 << 10, 512 << 10},
	} {
		var largest atomic.Int64
		f, text := faulty(t, 8*aheadSize, fault.On(driver.Read, func(op *driver.Op) fault.Verdict {
			largest.Store(max(largest.Load(), int64(len(op.Buf)))) // one Submit at a time
			return fault.Verdict{}
		}))
		r := reader(t, f, direct.ReaderOptions{BufferSize: of.size, ReadAhead: of.count})
		if c, err := readByte(r); c != text[0] || err != nil {
			t.Fatalf("Read of a byte = %q, %v", c, err)
		}
		if n := f.BuffersInUse(); n != int64(of.memory) {
			t.Errorf("%+v: %d bytes of buffers in use", of, n)
		}
		got, sizes := nextAll(t, r)
		if !bytes.Equal(got, text[1:]) || sizes[1] != of.size {
			t.Errorf("%+v: %d bytes, the second Buffer has %d", of, len(got), sizes[1])
		}
		if n := largest.Load(); n != int64(of.request) {
			t.Errorf("%+v: the largest request is of %d bytes", of, n)
		}
	}
}

// TestIdleReaders leaves many Readers idle, with unfinished reads. Other reads go on, and so do the
// Readers later.
func TestIdleReaders(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, text := testenv.DirectNoise(t, s, 16*aheadSize)
		var readers [100]*direct.Reader
		for i := range readers {
			readers[i] = reader(t, f, direct.ReaderOptions{BufferSize: testenv.PageSize, ReadAhead: 6})
			if c, err := readByte(readers[i]); c != text[0] || err != nil {
				t.Fatalf("Read of a byte = %d, %v", c, err)
			}
		}
		got := make([]byte, aheadSize)
		for off := int64(0); off < int64(len(text)); off += aheadSize {
			if n, err := f.ReadAt(got, off); n != len(got) || err != nil || !bytes.Equal(got, text[off:][:aheadSize]) {
				t.Fatalf("ReadAt = %d, %v", n, err)
			}
		}
		for _, r := range readers {
			if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, text[1:][:aheadSize]) {
				t.Fatalf("ReadFull = %v, or other bytes", err)
			}
		}
	})
}
