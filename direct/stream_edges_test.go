package direct_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestStreamOptions checks that the error of a wrong option names it.
func TestStreamOptions(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{BufferMemory: 8 << 20})
	f, _ := testenv.DirectNoise(t, s, 8192)
	for _, c := range []struct {
		o    direct.ReaderOptions
		want string
	}{
		{direct.ReaderOptions{BufferSize: -1}, "ReaderOptions.BufferSize -1"},
		{direct.ReaderOptions{BufferSize: math.MaxInt}, "ReaderOptions.BufferSize " + strconv.Itoa(math.MaxInt)},
		{direct.ReaderOptions{BufferSize: 9 << 20}, "ReaderOptions.BufferSize 9437184: more than the pool's limit of 8388608"},
		{direct.ReaderOptions{ReadAhead: -1}, "ReaderOptions.ReadAhead -1"},
		{direct.ReaderOptions{ReadAhead: math.MaxInt}, "ReaderOptions.ReadAhead " + strconv.Itoa(math.MaxInt)},
		{direct.ReaderOptions{Start: -1}, "ReaderOptions.Start -1"},
		{direct.ReaderOptions{End: -1}, "ReaderOptions.End -1"},
		{direct.ReaderOptions{Start: 10, End: 9}, "ReaderOptions.End 9 is before Start 10"},
	} {
		_, err := f.NewReader(t.Context(), c.o)
		if _, ok := errors.AsType[*os.PathError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewReader(%+v) = %v; want %s", c.o, err, c.want)
		}
	}
	for _, c := range []struct {
		o    direct.WriterOptions
		want string
	}{
		{direct.WriterOptions{BufferSize: -1}, "WriterOptions.BufferSize -1"},
		{direct.WriterOptions{BufferSize: 3 << 29}, "WriterOptions.BufferSize 1610612736"},
		{direct.WriterOptions{WriteBehind: -1}, "WriterOptions.WriteBehind -1"},
		{direct.WriterOptions{WriteBehind: 1 << 20}, "WriterOptions.WriteBehind 1048576"},
		{direct.WriterOptions{Start: math.MinInt64}, "WriterOptions.Start -9223372036854775808"},
	} {
		_, err := f.NewWriter(t.Context(), c.o)
		if _, ok := errors.AsType[*os.PathError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewWriter(%+v) = %v; want %s", c.o, err, c.want)
		}
	}
	f.Close()
	_, err := f.NewReader(t.Context(), direct.ReaderOptions{})
	if want := "newreader " + f.Name() + ": file already closed"; fmt.Sprint(err) != want {
		t.Errorf("NewReader of a closed file = %v; want %s", err, want)
	}
	_, err = f.NewWriter(t.Context(), direct.WriterOptions{})
	if want := "newwriter " + f.Name() + ": file already closed"; fmt.Sprint(err) != want {
		t.Errorf("NewWriter of a closed file = %v; want %s", err, want)
	}
}

// TestStreamsOfNothing checks that nil, zero and closed streams return errors.
func TestStreamsOfNothing(t *testing.T) {
	for _, none := range []*direct.File{nil, new(direct.File)} {
		if _, err := none.NewReader(t.Context(), direct.ReaderOptions{}); err != os.ErrInvalid {
			t.Errorf("NewReader = %v; want %v", err, os.ErrInvalid)
		}
		if _, err := none.NewWriter(t.Context(), direct.WriterOptions{}); err != os.ErrInvalid {
			t.Errorf("NewWriter = %v; want %v", err, os.ErrInvalid)
		}
	}
	f, _ := testenv.DirectNoise(t, testenv.Scheduler(t, sluice.Options{}), 8192)
	r, w := reader(t, f, direct.ReaderOptions{}), writer(t, f, direct.WriterOptions{})
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    *direct.Reader
		w    *direct.Writer
		want error
	}{{nil, nil, os.ErrInvalid}, {new(direct.Reader), new(direct.Writer), os.ErrInvalid}, {r, w, os.ErrClosed}} {
		_, err1 := c.r.Next()
		_, err2 := c.r.Read(make([]byte, 1))
		_, err3 := readByte(c.r)
		_, err4 := c.r.WriteTo(io.Discard)
		_, err5 := c.r.Seek(0, 0)
		_, err6 := c.w.Write(nil)
		_, err7 := c.w.ReadFrom(strings.NewReader("x"))
		_, err8 := c.r.ReadAt(make([]byte, 1), 0)
		for i, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8, c.r.Close(), c.w.Flush(), c.w.Sync(), writeByte(c.w, 1), c.w.Close()} {
			if !errors.Is(err, c.want) {
				t.Errorf("call %d = %v; want %v", i, err, c.want)
			}
		}
	}
}

// TestStreamsPastTheEnd checks that a Reader behind the end reads nothing, and that a Writer there
// leaves zeros before its bytes.
func TestStreamsPastTheEnd(t *testing.T) {
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "file")
		testenv.Write(t, name, testenv.Twenty)
		f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, start := range []int64{20, 21, 4096, 1 << 40, math.MaxInt64 - 4096, math.MaxInt64} {
			r := reader(t, f, direct.ReaderOptions{Start: start})
			if b, err := r.Next(); err != io.EOF || b.Len() != 0 {
				t.Errorf("Next at %d = %d bytes, %v; want io.EOF", start, b.Len(), err)
			}
			if pos, err := r.Seek(0, io.SeekEnd); pos != 0 || err != nil {
				t.Errorf("Seek to the end, from %d = %d, %v; want 0", start, pos, err)
			}
		}
		r := reader(t, f, direct.ReaderOptions{Start: 5})
		for _, to := range []int64{-1, math.MinInt64, math.MaxInt64} {
			if _, err := r.Seek(to, io.SeekStart); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("Seek(%d) = %v; want EINVAL", to, err)
			}
		}
		if _, err := r.Seek(0, 3); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("Seek of whence 3 = %v; want EINVAL", err)
		}
		w := writer(t, f, direct.WriterOptions{Start: math.MaxInt64})
		_, err = w.Write([]byte("x"))
		if err1 := w.Close(); !errors.Is(err1, syscall.EFBIG) || err != err1 {
			t.Errorf("Write at the largest offset = %v, and Close = %v; want EFBIG", err, err1)
		}
		w = writer(t, f, direct.WriterOptions{Start: 10_000})
		io.WriteString(w, "far")
		if err := w.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		want := append([]byte(testenv.Twenty), make([]byte, 10_000-20)...)
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, append(want, "far"...)) {
			t.Errorf("the file has %d bytes, %v; want %d", len(got), err, len(want)+3)
		}
	})
}

// TestEmptyFileOfTheWrongWay checks that a file open for writing only cannot be read, even at its
// end.
func TestEmptyFileOfTheWrongWay(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, err := direct.OpenOn(s, filepath.Join(t.TempDir(), "file"), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.ReadBuffer(t.Context(), 0, 10); !errors.Is(err, syscall.EBADF) {
		t.Errorf("ReadBuffer = %v; want EBADF", err)
	}
	for _, err := range f.ReadMany(t.Context(), slices.Values([]direct.Range{{Off: 0, Len: 10}}), direct.ReadManyOptions{}) {
		if !errors.Is(err, syscall.EBADF) {
			t.Errorf("ReadMany = %v; want EBADF", err)
		}
	}
	if _, err := reader(t, f, direct.ReaderOptions{}).Next(); !errors.Is(err, syscall.EBADF) {
		t.Errorf("Next = %v; want EBADF", err)
	}
}

// TestStreamsOfTheWrongWay reads a file open for writing only, and writes one open for reading.
func TestStreamsOfTheWrongWay(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "file")
		testenv.Write(t, name, string(testenv.Noise(3*testenv.PageSize)))
		f, err := direct.OpenOn(s, name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if b, err := reader(t, f, direct.ReaderOptions{}).Next(); !errors.Is(err, syscall.EBADF) {
			t.Errorf("Next = %d bytes, %v; want EBADF", b.Len(), err)
		}
		w := writer(t, f, direct.WriterOptions{Start: 5})
		if n, err := w.Write(testenv.Noise(10_000)); n != 10_000 || err != nil {
			t.Errorf("Write = %d, %v; want 10000, nil", n, err)
		}
		if err := w.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got[5:10_005], testenv.Noise(10_000)) {
			t.Errorf("other bytes, %v", err)
		}
		f, err = direct.OpenOn(s, name, os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, n := range []int{1, 3 * testenv.PageSize} {
			w, err := f.NewWriter(t.Context(), direct.WriterOptions{BufferSize: testenv.PageSize})
			if err != nil {
				t.Fatal(err)
			}
			if m, err := w.Write(make([]byte, n)); err == nil && m != n || err != nil && !errors.Is(err, syscall.EBADF) {
				t.Errorf("Write = %d, %v; want %d, nil, or EBADF", m, err, n)
			}
			if err := w.Close(); !errors.Is(err, syscall.EBADF) {
				t.Errorf("Close after %d bytes = %v; want EBADF", n, err)
			}
		}
	})
}

// TestReaderOfAShrinkingFile truncates the file before the next read: the stream ends there, and
// goes on when the file has grown again.
func TestReaderOfAShrinkingFile(t *testing.T) {
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		const size = 100*testenv.PageSize + 5
		name := filepath.Join(dir, "file")
		for _, o := range []direct.ReaderOptions{{BufferSize: testenv.PageSize, ReadAhead: 1}, {BufferSize: testenv.PageSize, ReadAhead: 4}, {BufferSize: 3 * testenv.PageSize, ReadAhead: 3}} {
			for _, left := range []int{50 * testenv.PageSize, 50*testenv.PageSize + 7} {
				want := testenv.Noise(size)
				testenv.Write(t, name, string(want))
				f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				r := reader(t, f, o)
				if n, err := io.ReadFull(r, make([]byte, 20*testenv.PageSize+3)); err != nil {
					t.Fatal(n, err)
				}
				if err := f.Truncate(int64(left)); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(got, want[20*testenv.PageSize+3:left]) {
					t.Errorf("%+v: %d bytes, %v; want %d", o, len(got), err, left-20*testenv.PageSize-3)
				}
				if n, err := f.WriteAt(want[left:], int64(left)); err != nil {
					t.Fatal(n, err)
				}
				if got, err = io.ReadAll(r); err != nil || !bytes.Equal(got, want[left:]) {
					t.Errorf("%+v: %d bytes, %v; want %d more", o, len(got), err, size-left)
				}
				r.Close()
				f.Close()
			}
		}
	})
}
