package copies

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// errnoOf returns the errno in err, or the error of package os that it is.
func errnoOf(err error) error {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e
	}
	for _, e := range []error{os.ErrClosed, os.ErrInvalid} {
		if errors.Is(err, e) {
			return e
		}
	}
	return err
}

// TestRefusedCopies checks that a copy that fails returns os.File's error, and has not read more of
// the source.
func TestRefusedCopies(t *testing.T) {
	const size = 100_000
	dir := t.TempDir()
	name, to := filepath.Join(dir, "source"), filepath.Join(dir, "target")
	testenv.Write(t, name, string(testenv.Noise(size)))
	testenv.Write(t, to, "")
	type file interface {
		io.ReadWriteSeeker
		io.ReaderFrom
		io.WriterTo
		Close() error
	}
	type outcome struct {
		n   int64
		err error
		pos int64
	}
	open := func(s *sluice.Scheduler, name string, flag int) file {
		f, err := os.OpenFile(name, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if s == nil {
			return f
		}
		ours, err := s.FromOS(f)
		if err != nil {
			t.Fatal(err)
		}
		return ours
	}
	for _, classes := range []bool{false, true} {
		s := testenv.Scheduler(t, sluice.Options{})
		if classes {
			if _, err := s.Class("class", sluice.ClassOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for what, copies := range map[string]func(src, dst file) (int64, error){
			"ReadFrom":             func(src, dst file) (int64, error) { return dst.ReadFrom(src) },
			"ReadFrom, limited":    func(src, dst file) (int64, error) { return dst.ReadFrom(io.LimitReader(src, 50_000)) },
			"WriteTo":              func(src, dst file) (int64, error) { return src.WriteTo(dst) },
			"Copy":                 func(src, dst file) (int64, error) { return io.Copy(dst, src) },
			"Copy to a closed":     func(src, dst file) (int64, error) { dst.Close(); return io.Copy(dst, src) },
			"ReadFrom of a closed": func(src, dst file) (int64, error) { dst.Close(); return dst.ReadFrom(src) },
			"ReadFrom of a closed, limited": func(src, dst file) (int64, error) {
				dst.Close()
				return dst.ReadFrom(io.LimitReader(src, 50_000))
			},
			"WriteTo to a closed": func(src, dst file) (int64, error) { dst.Close(); return src.WriteTo(dst) },
		} {
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_WRONLY, os.O_WRONLY | os.O_APPEND} {
				do := func(srcOn, dstOn *sluice.Scheduler) outcome {
					src, dst := open(srcOn, name, os.O_RDONLY), open(dstOn, to, flag)
					n, err := copies(src, dst)
					pos, posErr := src.Seek(0, io.SeekCurrent)
					if posErr != nil {
						t.Error(posErr)
					}
					os.Truncate(to, 0)
					return outcome{n, errnoOf(err), pos}
				}
				want := do(nil, nil)
				sides := map[string]outcome{"both": do(s, s), "the target": do(nil, s)}
				if !strings.HasPrefix(what, "ReadFrom") { // of package os
					sides["the source"] = do(s, nil)
				}
				for side, got := range sides {
					if got.n != want.n || got.err != want.err || got.pos > want.pos {
						t.Errorf("%s with flags %#x, classes %v, %s of sluice: %v; want %v", what, flag, classes, side, got, want)
					}
				}
			}
		}
	}
}
