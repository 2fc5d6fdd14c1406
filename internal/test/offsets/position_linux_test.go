package offsets

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// positioned is a file with a position: an os.File or a sluice.File.
type positioned interface {
	io.ReadWriteSeeker
	io.ReaderFrom
	io.WriterTo
}

// move reads from f to b, or writes b to f, at the position.
type move func(f positioned, b []byte) (int64, error)

// TestPositions checks that reads and writes at the position behave at the edges as in os.File.
func TestPositions(t *testing.T) {
	everywhere(t, func(t *testing.T, s *sluice.Scheduler, dir string, edge int64) {
		from := create(t, filepath.Join(dir, "from"))
		want, got := create(t, filepath.Join(dir, "want")), create(t, filepath.Join(dir, "got"))
		f, err := s.OpenFile(got.Name(), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, a := range ranges(edge) {
			for name, do := range moves(from) {
				ours, osFile := a.moved(do, f), a.moved(do, want)
				if !ours.is(osFile) {
					t.Errorf("%s of %v = %v; want %v", name, a, ours, osFile)
				}
				sameBytes(t, a, want, got)
			}
			empty(t, want)
			empty(t, got)
		}
	})
}

func moves(from *os.File) map[string]move {
	return map[string]move{
		"Read": func(f positioned, b []byte) (int64, error) {
			n, err := f.Read(b)
			return int64(n), err
		},
		"Write": func(f positioned, b []byte) (int64, error) {
			n, err := f.Write(b)
			return int64(n), err
		},
		"ReadFrom": func(f positioned, b []byte) (int64, error) {
			return f.ReadFrom(bytes.NewReader(b))
		},
		"ReadFrom of a file": func(f positioned, b []byte) (int64, error) {
			if err := os.WriteFile(from.Name(), b, 0o600); err != nil {
				return 0, err
			}
			if _, err := from.Seek(0, io.SeekStart); err != nil {
				return 0, err
			}
			return f.ReadFrom(from)
		},
	}
}

// moved seeks to a and calls do.
func (a at) moved(do move, f positioned) result {
	b := testenv.AlignedBytes(a.n)
	for i := range b {
		b[i] = testenv.Pattern(a.off + int64(i))
	}
	if _, err := f.Seek(a.off, io.SeekStart); err != nil {
		return result{0, err}
	}
	n, err := do(f, b)
	return result{int(n), err}
}

// sameBytes compares two files at a.
func sameBytes(t *testing.T, a at, want, got *os.File) {
	if has, wants := size(t, got), size(t, want); has != wants {
		t.Errorf("%v: the file has %#x bytes; want %#x", a, has, wants)
	}
	n := int(max(0, min(int64(a.n), size(t, want)-a.off)))
	b, c := make([]byte, n), make([]byte, n)
	_, err := want.ReadAt(b, a.off)
	_, err1 := got.ReadAt(c, a.off)
	if err != nil || err1 != nil || string(b) != string(c) {
		t.Errorf("%v: the files have other bytes, or %v, %v", a, err, err1)
	}
}
