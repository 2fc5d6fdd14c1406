package direct_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// directAPI has the methods that *os.File and *direct.File share.
type directAPI interface {
	ReadAt(b []byte, off int64) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Stat() (os.FileInfo, error)
	Close() error
}

// directCalls returns the outcomes of calls on one file, the wrong calls first.
func directCalls(f directAPI, dir string) string {
	var b strings.Builder
	note := func(what string, n any, err error) { fmt.Fprintln(&b, what, n, testenv.Describe(err, dir)) }
	mem := make([]byte, 30)
	for _, off := range []int64{-1, math.MinInt64, 0, 5, 20, 21, 1 << 40, math.MaxInt64 - 30, math.MaxInt64 - 29, math.MaxInt64} {
		for _, n := range []int{0, 1, 30} {
			clear(mem)
			got, err := f.ReadAt(mem[:n], off)
			note(fmt.Sprint("ReadAt ", n, off), fmt.Sprint(got, string(mem[:got])), err)
		}
	}
	for _, off := range []int64{-1, math.MinInt64, math.MaxInt64 - 30, math.MaxInt64 - 29, math.MaxInt64, 3, 19} {
		for _, n := range []int{0, 1, 30} {
			got, err := f.WriteAt([]byte(strings.Repeat("w", n)), off)
			note(fmt.Sprint("WriteAt ", n, off), got, err)
		}
	}
	for _, size := range []int64{-1, 10, 100} {
		note(fmt.Sprint("Truncate ", size), nil, f.Truncate(size))
	}
	note("Sync", nil, f.Sync())
	info, err := f.Stat()
	if err == nil {
		note("Stat", info.Size(), nil)
	} else {
		note("Stat", nil, err)
	}
	return b.String()
}

// differing returns the lines that differ.
func differing(got, want string) (out string) {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			out += fmt.Sprintf("%s; want\n%s\n", a[i], b[i])
		}
	}
	return out
}

// TestDirectCalls makes right and wrong calls on files opened in every way. Results and errors must
// equal package os's.
func TestDirectCalls(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "file")
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_SYNC, os.O_RDWR | os.O_TRUNC} {
			for _, closed := range []bool{false, true} {
				testenv.Write(t, name, testenv.Twenty)
				theirs := testenv.Must(t, testenv.OSOpen, name, flag).(*os.File)
				if closed {
					theirs.Close()
				}
				want := directCalls(theirs, dir) + testenv.Contents(t, name)
				testenv.Write(t, name, testenv.Twenty)
				ours, err := direct.OpenOn(s, name, flag, 0)
				if err != nil {
					t.Fatal(err)
				}
				if closed {
					ours.Close()
				}
				if got := directCalls(ours, dir) + testenv.Contents(t, name); got != want {
					t.Errorf("flag %#x, closed %v, %s:\n%s", flag, closed, ours.Explain(), differing(got, want))
				}
				if err := ours.Close(); closed != errors.Is(err, os.ErrClosed) {
					t.Errorf("Close = %v", err)
				}
			}
		}
		for _, none := range []*direct.File{nil, new(direct.File)} {
			if got, want := directCalls(none, dir), directCalls((*os.File)(nil), dir); got != want {
				t.Errorf("nil:\n%s", differing(got, want))
			}
			if err := none.Allocate(0, 1); err != os.ErrInvalid {
				t.Errorf("Allocate = %v; want %v", err, os.ErrInvalid)
			}
		}
	})
}

// TestDirectRanges checks that a negative offset or length is an error of each call on a range, and
// that none changes the file.
func TestDirectRanges(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := filepath.Join(t.TempDir(), "file")
		testenv.Write(t, name, testenv.Twenty)
		f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for call, do := range map[string]func(off, n int64) error{
			"allocate":  f.Allocate,
			"punchhole": f.PunchHole,
		} {
			for _, r := range [][2]int64{{-1, 1}, {0, -1}, {-1, 0}} {
				err := do(r[0], r[1])
				if e, ok := errors.AsType[*os.PathError](err); !ok || e.Op != call || e.Path != name {
					t.Errorf("%s(%d, %d) = %v; want an error of %s %s", call, r[0], r[1], err, call, name)
				}
			}
		}
		if got := testenv.Contents(t, name); !strings.Contains(got, testenv.Twenty) {
			t.Errorf("the file has %q", got)
		}
	})
}

// TestDirectOpen opens existing files, missing ones, and files without disk I/O. Except for files
// without disk I/O, the results must equal package os's.
func TestDirectOpen(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		testenv.Write(t, filepath.Join(dir, "file"), testenv.Twenty)
		for _, name := range []string{"none", "none/none", "file/none", "file"} {
			name = filepath.Join(dir, name)
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE | os.O_EXCL} {
				want := testenv.Opened(os.OpenFile(name, flag, 0o640))(dir)
				if flag&os.O_CREATE != 0 && !strings.HasSuffix(name, "file") {
					os.Remove(name)
				}
				f, err := direct.OpenOn(s, name, flag, 0o640)
				got := testenv.Describe(err, dir)
				if err == nil {
					info, err := f.Stat()
					got = fmt.Sprint(testenv.Inside(f.Name(), dir), " ", info.Mode())
					if err := errors.Join(err, f.Close()); err != nil {
						t.Error(err)
					}
				}
				if got != want {
					t.Errorf("OpenOn(%s, %#x) = %s; want %s", name, flag, got, want)
				}
			}
		}
		for name, want := range map[string]string{
			dir:        "*fs.PathError(open DIR) syscall.Errno(is a directory)",
			os.DevNull: "neither a regular file nor a block device",
		} {
			_, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
			if !strings.Contains(testenv.Describe(err, dir), want) {
				t.Errorf("OpenOn(%s) = %v; want %s", name, err, want)
			}
		}
		if _, err := direct.OpenOn(s, dir+"/file", os.O_RDWR|os.O_APPEND, 0); err == nil {
			t.Error("a File was opened with O_APPEND")
		}
		s.Close()
		if _, err := direct.OpenOn(s, dir+"/file", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666); !errors.Is(err, os.ErrClosed) {
			t.Errorf("OpenOn on a closed scheduler = %v", err)
		}
		if got := testenv.Contents(t, dir+"/file"); !strings.Contains(got, testenv.Twenty) {
			t.Errorf("OpenOn on a closed scheduler has cut the file off: %s", got)
		}
	})
}
