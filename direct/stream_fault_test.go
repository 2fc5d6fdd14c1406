package direct_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// faultyStreams are streams of all shapes over a file of faultySize.
var faultyStreams = []struct {
	size, count int
	start       int64
}{
	{testenv.PageSize, 10, 0},
	{testenv.PageSize, 1, 0},
	{testenv.PageSize, 3, 100},
	{2 * testenv.PageSize, 4, 5000},
	{64 << 10, 1, 0},
	{64 << 10, 2, 0},
}

// TestReaderBeforeBadBlock checks that a Reader returns the bytes before a bad block first, and
// then the error, each time.
func TestReaderBeforeBadBlock(t *testing.T) {
	const before = 5 * testenv.PageSize
	for _, of := range faultyStreams {
		f, text := faulty(t, 20*testenv.PageSize, bad(before+77, syscall.EIO))
		r := reader(t, f, direct.ReaderOptions{BufferSize: of.size, ReadAhead: of.count, Start: of.start})
		got, err := io.ReadAll(r)
		if !bytes.Equal(got, text[of.start:before]) || !errors.Is(err, syscall.EIO) {
			t.Errorf("%+v: %d bytes, and %v; want %d bytes, and EIO", of, len(got), err, before-of.start)
		}
		if n, err := r.Read(make([]byte, 100)); n != 0 || !errors.Is(err, syscall.EIO) {
			t.Errorf("%+v: once more: %d bytes, and %v; want 0, and EIO", of, n, err)
		}
	}
}

// TestReaderFaults makes each operation of a Reader fail once. All bytes before it come first, then
// the error, and then the rest.
func TestReaderFaults(t *testing.T) {
	for _, of := range faultyStreams {
		for k := 0; ; k++ {
			count := fault.NewCounter(k, fault.Verdict{Errno: syscall.ENXIO})
			f, text := faulty(t, faultySize, func(op *driver.Op) fault.Verdict {
				if op.Off >= faultySize {
					return fault.Verdict{} // no byte of the stream is read there
				}
				return count.Decide(op)
			})
			r := reader(t, f, direct.ReaderOptions{BufferSize: of.size, ReadAhead: of.count, Start: of.start})
			var got []byte
			failures := 0
			for {
				b, err := r.Next()
				got = append(got, b.Bytes()...)
				b.Release()
				if err == io.EOF {
					break
				}
				if err != nil {
					failures++
					if !errors.Is(err, syscall.ENXIO) || failures > 1 {
						t.Fatalf("%+v: operation %d failed, and Next = %v", of, k, err)
					}
				}
			}
			if !bytes.Equal(got, text[of.start:]) {
				t.Errorf("%+v: operation %d failed, and Next has %d bytes; want %d", of, k, len(got), len(text)-int(of.start))
			}
			if count.Fired() != (failures == 1) {
				t.Errorf("%+v: operation %d failed: %v, and there were %d errors", of, k, count.Fired(), failures)
			}
			if !count.Fired() {
				break
			}
		}
	}
}

// TestReaderTroubles makes all operations short, interrupted, or refused by the driver.
func TestReaderTroubles(t *testing.T) {
	for _, v := range []fault.Verdict{{Short: 512}, {Short: testenv.PageSize}, {Errno: syscall.EAGAIN}, {Errno: syscall.EINTR}, {Late: 2}} {
		for _, of := range faultyStreams {
			f, text := faulty(t, faultySize, func(op *driver.Op) fault.Verdict {
				if v.Short > 0 && len(op.Buf) <= v.Short {
					return fault.Verdict{}
				}
				return v
			})
			r := reader(t, f, direct.ReaderOptions{BufferSize: of.size, ReadAhead: of.count, Start: of.start})
			if got, _ := nextAll(t, r); !bytes.Equal(got, text[of.start:]) {
				t.Errorf("%+v, %+v: Next has %d bytes (%08x); want %d", v, of, len(got), testenv.Sum(got), len(text)-int(of.start))
			}
		}
	}
}

// TestReaderTriesAgain checks that a Reader repeats a request in parts if the kernel refuses it
// because of the end of the file (EINVAL), or xfs because of reserved room there (EIO).
func TestReaderTriesAgain(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.EIO} {
		for _, of := range faultyStreams {
			f, text := faulty(t, faultySize, fault.First(1, fault.Verdict{Errno: errno}))
			r := reader(t, f, direct.ReaderOptions{BufferSize: of.size, ReadAhead: of.count, Start: of.start})
			if got, _ := nextAll(t, r); !bytes.Equal(got, text[of.start:]) {
				t.Errorf("%v, %+v: Next has %d bytes (%08x); want %d", errno, of, len(got), testenv.Sum(got), len(text)-int(of.start))
			}
		}
	}
}

// TestWriterFaults makes each operation of a Writer fail once. The error comes at the latest in
// Close, and in every call after its first. If no call returns one, all bytes are written.
func TestWriterFaults(t *testing.T) {
	for _, how := range []string{"Write", "Write, Flush", "ReadFrom", "Write of bytes"} {
		for _, of := range faultyStreams {
			for k := 0; ; k++ {
				count := fault.NewCounter(k, fault.Verdict{Errno: syscall.ENOSPC})
				f, text := faulty(t, faultySize, fault.On(driver.Write, count.Decide))
				w := writer(t, f, direct.WriterOptions{BufferSize: of.size, WriteBehind: of.count, Start: of.start})
				b := testenv.Noise(9 * testenv.PageSize)
				first := writeBy(w, how, b)
				if first == nil {
					first = w.Flush()
				}
				fired := count.Fired()
				if fired != errors.Is(first, syscall.ENOSPC) {
					t.Fatalf("%s %+v: operation %d failed: %v, and the first error is %v", how, of, k, fired, first)
				}
				afterFault(t, w, first)
				if first == nil {
					want := append(text[:of.start:of.start], b...)
					want = append(want, text[min(len(want), len(text)):]...)
					if got, err := os.ReadFile(f.Name()); !bytes.Equal(got, want) || err != nil {
						t.Errorf("%s %+v: the file is %08x, %v; want %08x", how, of, testenv.Sum(got), err, testenv.Sum(want))
					}
				}
				if st := f.BuffersInUse(); st != 0 {
					t.Errorf("%s %+v: %d bytes of buffers in use at the end", how, of, st)
				}
				if !fired {
					break
				}
			}
		}
	}
}

// afterFault makes every call of a Writer that has failed with first.
func afterFault(t *testing.T, w *direct.Writer, first error) {
	t.Helper()
	if first != nil {
		_, err1 := w.Write([]byte{1})
		_, err2 := io.WriteString(w, "1")
		_, err3 := w.ReadFrom(bytes.NewReader([]byte{1}))
		for i, err := range []error{err1, err2, err3, writeByte(w, 1), w.Flush(), w.Sync()} {
			if err != first {
				t.Errorf("call %d after %v = %v", i, first, err)
			}
		}
	}
	if err := w.Close(); err != first {
		t.Errorf("Close after %v = %v", first, err)
	}
	if err := w.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close = %v", err)
	}
	if _, err := w.Write([]byte{1}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close = %v", err)
	}
}

func writeBy(w *direct.Writer, how string, b []byte) (err error) {
	switch how {
	case "ReadFrom":
		_, err = w.ReadFrom(onlyRead{bytes.NewReader(b)})
	case "Write of bytes":
		for i := 0; i < len(b) && err == nil; i++ {
			err = writeByte(w, b[i])
		}
	default:
		for len(b) > 0 && err == nil {
			n := min(len(b), 3000)
			_, err = w.Write(b[:n])
			b = b[n:]
			if err == nil && how != "Write" {
				err = w.Flush()
			}
		}
	}
	return err
}

// TestWriterTroubles makes all operations short, interrupted, overtaken, or refused by the driver
// or for their alignment.
func TestWriterTroubles(t *testing.T) {
	for _, v := range []fault.Verdict{{Short: testenv.PageSize}, {Errno: syscall.EAGAIN}, {Errno: syscall.EINTR}, {Errno: syscall.EINVAL}, {Late: 2}} {
		for _, of := range faultyStreams {
			f, text := faulty(t, faultySize, func(op *driver.Op) fault.Verdict {
				if v.Short > 0 && len(op.Buf) <= v.Short || v.Errno == syscall.EINVAL && op.Code == driver.Read {
					return fault.Verdict{}
				}
				return v
			})
			b := testenv.Noise(20 * testenv.PageSize)
			w := writer(t, f, direct.WriterOptions{BufferSize: of.size, WriteBehind: of.count, Start: of.start})
			if n, err := w.Write(b); n != len(b) || err != nil {
				t.Errorf("%+v, %+v: Write = %d, %v", v, of, n, err)
			}
			if err := w.Close(); err != nil {
				t.Errorf("%+v, %+v: Close = %v", v, of, err)
			}
			want := append(text[:of.start:of.start], b...)
			if got, err := os.ReadFile(f.Name()); !bytes.Equal(got, want) || err != nil {
				t.Errorf("%+v, %+v: the file is %08x, %v; want %08x", v, of, testenv.Sum(got), err, testenv.Sum(want))
			}
		}
	}
}

// TestWriterTellsSoon checks that the next call returns the error of a failed write, even if the
// buffers have room.
func TestWriterTellsSoon(t *testing.T) {
	count := fault.NewCounter(0, fault.Verdict{Errno: syscall.EIO})
	f, _ := faulty(t, 64*testenv.PageSize, fault.On(driver.Write, count.Decide))
	w := writer(t, f, direct.WriterOptions{BufferSize: testenv.PageSize, WriteBehind: 100})
	if n, err := w.Write(make([]byte, 32*testenv.PageSize)); n != 32*testenv.PageSize || err != nil {
		t.Fatalf("Write = %d, %v", n, err)
	}
	testenv.WaitFor(t, "the error", func() bool { return writeByte(w, 1) != nil })
	if err := writeByte(w, 1); !errors.Is(err, syscall.EIO) {
		t.Errorf("Write of a byte = %v; want EIO", err)
	}
	if err := w.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("Close = %v; want EIO", err)
	}
}
