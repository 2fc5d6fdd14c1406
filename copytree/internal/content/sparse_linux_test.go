package content

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestZerosTakeNoRoom checks that with SparseAlways zeros take no blocks, even on xfs, which
// reserves blocks beyond the written end of a file.
func TestZerosTakeNoRoom(t *testing.T) {
	const piece, pieces = 60 << 10, 50
	var all []byte
	for i := range pieces {
		all = append(append(all, noise(uint64(i), piece)...), make([]byte, piece)...)
	}
	eachPlace(t, func(t *testing.T, dir string) {
		from := filepath.Join(dir, "source")
		if err := os.WriteFile(from, all, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, open := range map[string]func(t *testing.T) File{
			"file":   func(t *testing.T) File { return of(t, opened(t, from)) },
			"stream": func(t *testing.T) File { return piped(t, all) },
		} {
			to, err := os.Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			c := New(Config{Sparse: option.SparseAlways})
			defer c.Close()
			_, err = c.Copy(t.Context(), of(t, to), open(t))
			var st unix.Stat_t
			if err == nil {
				err = to.Sync()
			}
			if err == nil {
				err = unix.Fstat(int(to.Fd()), &st)
			}
			if most := int64(piece * pieces * 11 / 10); err != nil || st.Blocks*512 > most {
				t.Errorf("%s: %d bytes of room, %v; want no more than %d", name, st.Blocks*512, err, most)
			}
			if got, err := os.ReadFile(to.Name()); err != nil || !bytes.Equal(got, all) {
				t.Errorf("%s: the copy of %d bytes has %d, %v", name, len(all), len(got), err)
			}
		}
	})
}

func opened(t *testing.T, name string) *os.File {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// piped returns a pipe from which content can be read.
func piped(t *testing.T, content []byte) File {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.Copy(w, bytes.NewReader(content))
		w.Close()
	}()
	t.Cleanup(func() { r.Close(); <-written })
	return File{FD: int(r.Fd()), Kind: Stream}
}

// TestNoZerosNoLength checks that with SparseAlways the length of a small file without zeros is not
// set first.
func TestNoZerosNoLength(t *testing.T) {
	from := filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(from, noise(1, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	c := New(Config{Sparse: option.SparseAlways, Fault: func(op string) error {
		if op == "ftruncate" {
			return unix.EIO
		}
		return nil
	}})
	defer c.Close()
	if got, _, err := copyFile(t, c, from); err != nil || len(got) != 100 {
		t.Errorf("the copy has %d bytes, %v; want 100", len(got), err)
	}
}
