package files

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// state is a kind of file on which every call is made.
type state struct {
	name string
	// open opens a file of this kind, in dir if it needs a directory.
	open func(t *testing.T, open testenv.Opener, dir string) testenv.FileAPI
}

func states() []state {
	s := []state{
		{"closed", func(t *testing.T, open testenv.Opener, dir string) testenv.FileAPI {
			f := opened(t, open, dir, os.O_RDWR)
			f.Close()
			return f
		}},
		{"directory", func(t *testing.T, open testenv.Opener, dir string) testenv.FileAPI {
			opened(t, open, dir, os.O_RDONLY).Close()
			return testenv.Must(t, open, dir, os.O_RDONLY)
		}},
		{"empty", func(t *testing.T, open testenv.Opener, dir string) testenv.FileAPI {
			return opened(t, open, dir, os.O_RDWR|os.O_TRUNC)
		}},
		{"at its end", func(t *testing.T, open testenv.Opener, dir string) testenv.FileAPI {
			f := opened(t, open, dir, os.O_RDWR)
			if _, err := f.Seek(0, io.SeekEnd); err != nil {
				t.Fatal(err)
			}
			return f
		}},
	}
	for _, of := range []struct {
		name string
		flag int
	}{
		{"read only", os.O_RDONLY},
		{"write only", os.O_WRONLY},
		{"read and write", os.O_RDWR},
		{"append", os.O_WRONLY | os.O_APPEND},
		{"read and append", os.O_RDWR | os.O_APPEND},
		{"synchronous", os.O_RDWR | os.O_SYNC},
	} {
		s = append(s, state{of.name, func(t *testing.T, open testenv.Opener, dir string) testenv.FileAPI {
			return opened(t, open, dir, of.flag)
		}})
	}
	for _, name := range []string{"/dev/null", "/dev/zero", "/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		s = append(s, state{name, func(t *testing.T, open testenv.Opener, _ string) testenv.FileAPI {
			return ofMachine(t, open, name, os.O_RDONLY)
		}})
	}
	return append(s, state{"/dev/full", func(t *testing.T, open testenv.Opener, _ string) testenv.FileAPI {
		return ofMachine(t, open, "/dev/full", os.O_WRONLY)
	}})
}

// ofMachine opens a file that all processes of the machine share.
func ofMachine(t *testing.T, open testenv.Opener, name string, flag int) testenv.FileAPI {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		skip.For(t, skip.Dev, err)
	}
	return testenv.Must(t, open, name, flag)
}

// opened opens a file of twenty bytes.
func opened(t *testing.T, open testenv.Opener, dir string, flag int) testenv.FileAPI {
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, []byte(testenv.Twenty), 0o600); err != nil {
		t.Fatal(err)
	}
	return testenv.Must(t, open, name, flag)
}

// TestCalls makes every call on every kind of file, with os and with sluice. Results, errors,
// contents and position must be the same.
func TestCalls(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		for _, st := range states() {
			t.Run(st.name, func(t *testing.T) {
				for _, c := range calls() {
					// Root can change the mode of shared files for all processes.
					if c.name == "Chmod" && filepath.IsAbs(st.name) {
						continue
					}
					want := outcome(t, st, c, testenv.OSOpen, dir)
					if got := outcome(t, st, c, testenv.OpenOn(s), dir); got != want {
						t.Errorf("%s:\n  %s; want\n  %s", c.name, got, want)
					}
				}
			})
		}
	})
}

// TestCallsOnNil makes every call on a nil *File.
func TestCallsOnNil(t *testing.T) {
	for _, c := range append(calls(), call{"Chdir", func(f testenv.FileAPI) []any { return []any{f.Chdir()} }}) {
		want := results(c, (*os.File)(nil), "")
		if got := results(c, (*sluice.File)(nil), ""); got != want {
			t.Errorf("%s: %s; want %s", c.name, got, want)
		}
	}
}

// outcome makes a call on a new file of state st, and prints everything observable.
func outcome(t *testing.T, st state, c call, open testenv.Opener, dir string) string {
	os.RemoveAll(filepath.Join(dir, "file"))
	f := st.open(t, open, dir)
	defer f.Close()
	out := results(c, f, dir)
	if strings.HasPrefix(st.name, "/dev/zero") {
		return out
	}
	pos, err := f.Seek(0, io.SeekCurrent)
	out += fmt.Sprintf(" pos %d %s", pos, testenv.Describe(err, dir))
	if info, err := os.Stat(filepath.Join(dir, "file")); err == nil && info.Size() < 1<<20 {
		b, err := os.ReadFile(filepath.Join(dir, "file"))
		return out + fmt.Sprintf(" contents %q %v %s", b, info.Mode(), testenv.Describe(err, dir))
	}
	return out
}

// results prints the results of a call, or its panic.
func results(c call, f testenv.FileAPI, dir string) (out string) {
	defer func() {
		if v := recover(); v != nil {
			out = fmt.Sprint("panic: ", v)
		}
	}()
	for _, r := range c.do(f) {
		switch v := r.(type) {
		case nil:
			out += "; no error"
		case error:
			out += "; " + testenv.Describe(v, dir)
		default:
			out += testenv.Inside(fmt.Sprintf("; %#v", v), dir)
		}
	}
	return out
}
