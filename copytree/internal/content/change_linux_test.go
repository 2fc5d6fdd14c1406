package content

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestChanged copies files whose size is no longer the one from stat(2).
func TestChanged(t *testing.T) {
	for _, size := range []int{100, smallBlock, 3 * defaultBlock, 18 * defaultBlock} {
		for _, said := range []int64{0, 1, int64(size) / 2, int64(size) + 1, 2 * int64(size), 100 * int64(size)} {
			for _, sparse := range []option.Sparse{option.SparseAuto, option.SparseNever} {
				name := filepath.Join(t.TempDir(), "file")
				want := noise(1, size)
				if err := os.WriteFile(name, want, 0o600); err != nil {
					t.Fatal(err)
				}
				got, err := copyAs(t, New(Config{Sparse: sparse}), name, said)
				if !bytes.Equal(got, want) {
					t.Errorf("%d bytes, said to be %d: the copy has %d", size, said, len(got))
				}
				if err != nil {
					t.Errorf("%d bytes, said to be %d: %v", size, said, err)
				}
			}
		}
	}
}

// copyAs copies a file with a false size from stat(2).
func copyAs(t *testing.T, c *Copier, name string, said int64) ([]byte, error) {
	t.Helper()
	src, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.Create(name + ".copy")
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	from := of(t, src)
	from.Size = said
	_, err = c.Copy(t.Context(), of(t, dst), from)
	got, err1 := os.ReadFile(name + ".copy")
	if err1 != nil {
		t.Error(err1)
	}
	return got, err
}

// TestChanging copies a file that grows and shrinks all the time. Each copy must end without an
// error. It must have a beginning of the longest file, with zeros where the file was truncated.
func TestChanging(t *testing.T) {
	const most = 6 << 20 // 6 MiB
	name := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ones := bytes.Repeat([]byte{1}, most)
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := errors.Join(f.Truncate(int64(i*54321)%most), second(f.WriteAt(ones[:most/2], int64(i*12345)%(most/2)))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	c := New(Config{Scheduler: testenv.Core(t)})
	for range 50 {
		got, _, err := copyFile(t, c, name)
		if err != nil {
			t.Error(err)
		}
		if len(got) > most || len(bytes.Trim(got, "\x00\x01")) > 0 {
			t.Errorf("the copy has %d bytes, or others than were written", len(got))
		}
	}
	close(stop)
	writer.Wait()
}

func second(_ int, err error) error { return err }

// TestCopyFIFO copies the bytes of a FIFO.
func TestCopyFIFO(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	want := noise(1, 300_000)
	var writer sync.WaitGroup
	writer.Go(func() {
		if _, err := io.Copy(w, bytes.NewReader(want)); err != nil {
			t.Error(err)
		}
		w.Close()
	})
	name := filepath.Join(t.TempDir(), "copy")
	dst, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	defer r.Close()
	result, err := New(Config{Scheduler: testenv.Core(t)}).Copy(t.Context(), of(t, dst), File{FD: int(r.Fd())})
	writer.Wait()
	if got, _ := os.ReadFile(name); err != nil || !bytes.Equal(got, want) || result.Bytes != int64(len(want)) {
		t.Errorf("%d bytes, %+v, %v; want %d", len(got), result, err, len(want))
	}
}

// TestEnded checks that nothing more is copied after the context ends, even from a FIFO without
// data.
func TestEnded(t *testing.T) {
	cause, cancel := context.WithCancel(t.Context())
	cancel()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 50<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := copyTo(cause, t, New(Config{}), name+".copy", name); !errors.Is(err, context.Canceled) {
		t.Errorf("copy of a file: %v; want that it was cancelled", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if _, err := New(Config{}).Copy(cause, File{FD: -1}, File{FD: int(r.Fd())}); !errors.Is(err, context.Canceled) {
		t.Errorf("copy of a FIFO: %v; want that it was cancelled", err)
	}
}

// TestErrors checks that an error names the failed system call and the file.
func TestErrors(t *testing.T) {
	for _, size := range []int{10, 3 * defaultBlock, 18 * defaultBlock} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, noise(1, size), 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		from := of(t, src)
		_, err = New(Config{}).Copy(t.Context(), from, from) // not open for writing
		var e *fault.Fault
		if !errors.As(err, &e) || e.Op != "write" || !e.Dest || e.Err != unix.EBADF {
			t.Errorf("%d bytes: %v; want EBADF of write", size, err)
		}
		dir, err := os.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		_, err = New(Config{}).Copy(t.Context(), from, File{FD: int(dir.Fd()), Size: int64(size), Blocks: 1 << 40})
		if !errors.As(err, &e) || e.Op != "read" || e.Dest || e.Err != unix.EISDIR {
			t.Errorf("%d bytes: %v; want EISDIR of read", size, err)
		}
	}
}

// TestVerifyClone has a file that grows or shrinks after fstat(2) and before its data is shared.
// The copy must have the new length. A copy with other data is an error; so is another length if
// the file has not changed.
func TestVerifyClone(t *testing.T) {
	want := noise(1, 3000)
	for _, c := range []struct {
		name       string
		said       int64 // the size from fstat(2)
		clone, src []byte
		wrong      bool
	}{
		{"the same", 3000, want, want, false},
		{"longer before the ioctl", 2000, want, want, false},
		{"longer before and after it", 1000, want[:2000], want, false},
		{"shorter before it", 4000, want, want, false},
		{"another byte", 2000, append(want[:2999:2999], ^want[2999]), want, true},
		{"a shorter copy", 3000, want[:2000], want, true},
		{"a longer copy", 2000, want, want[:2000], true},
	} {
		src, dst := openBoth(t, filepath.Join(t.TempDir(), "file"), c.src, c.clone)
		all := New(Config{})
		from, to := of(t, src), of(t, dst)
		from.Size = c.said
		j := job{c: all, ctx: t.Context(), dst: to, src: from, pair: all.pairs.of(to, from), result: Result{How: Cloned, Bytes: c.said}}
		if err := j.verify(); errors.Is(err, fault.ErrVerify) != c.wrong || !c.wrong && err != nil {
			t.Errorf("%s: verify = %v; want ErrVerify: %t", c.name, err, c.wrong)
		}
		src.Close()
		dst.Close()
	}
}

// openBoth writes a file and its copy, and opens them.
func openBoth(t *testing.T, name string, source, copied []byte) (src, dst *os.File) {
	t.Helper()
	if err := errors.Join(os.WriteFile(name, source, 0o600), os.WriteFile(name+".copy", copied, 0o600)); err != nil {
		t.Fatal(err)
	}
	src, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	dst, err = os.OpenFile(name+".copy", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	return src, dst
}

// TestVerify checks that a difference is found at its offset.
func TestVerify(t *testing.T) {
	const size = 2_500_000
	name := filepath.Join(t.TempDir(), "file")
	for _, at := range []int64{0, 1, defaultBlock/2 - 1, defaultBlock / 2, size - 1} {
		want := noise(1, size)
		src, dst := openBoth(t, name, want, want)
		if _, err := dst.WriteAt([]byte{^want[at]}, at); err != nil {
			t.Fatal(err)
		}
		c := New(Config{})
		from, to := of(t, src), of(t, dst)
		j := job{c: c, ctx: t.Context(), dst: to, src: from, pair: c.pairs.of(to, from), result: Result{Bytes: size}}
		err := j.verify()
		if want := verifyError(at); !errors.Is(err, fault.ErrVerify) || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
		src.Close()
		dst.Close()
	}
}
