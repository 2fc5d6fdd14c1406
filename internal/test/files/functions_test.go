package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestOpen compares the ways to open a file, and their errors.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	testenv.Write(t, filepath.Join(dir, "file"), testenv.Twenty)
	testenv.Write(t, filepath.Join(dir, "locked"), testenv.Twenty)
	os.Chmod(filepath.Join(dir, "locked"), 0)
	for _, name := range []string{"file", "none", "none/file", "file/file", "", ".", "locked", strings.Repeat("long", 100), "nul\x00"} {
		path := filepath.Join(dir, name)
		if name == "" {
			path = ""
		}
		same(t, "Open "+name, dir, testenv.Opened(sluice.Open(path)), testenv.Opened(os.Open(path)))
		same(t, "OpenInRoot "+name, dir, testenv.Opened(sluice.OpenInRoot(dir, name)), testenv.Opened(os.OpenInRoot(dir, name)))
		for _, flag := range []int{os.O_RDWR, os.O_WRONLY} {
			same(t, "OpenFile "+name, dir, testenv.Opened(sluice.OpenFile(path, flag, 0o600)), testenv.Opened(os.OpenFile(path, flag, 0o600)))
		}
	}
	const exclusive = os.O_RDWR | os.O_CREATE | os.O_EXCL
	path := filepath.Join(dir, "file")
	same(t, "OpenFile, exclusive", dir, testenv.Opened(sluice.OpenFile(path, exclusive, 0o600)), testenv.Opened(os.OpenFile(path, exclusive, 0o600)))
	same(t, "OpenInRoot of an escape", dir, testenv.Opened(sluice.OpenInRoot(dir, "../x")), testenv.Opened(os.OpenInRoot(dir, "../x")))
	same(t, "OpenInRoot of no directory", dir, testenv.Opened(sluice.OpenInRoot(dir+"/none", "x")), testenv.Opened(os.OpenInRoot(dir+"/none", "x")))
}

func same(t *testing.T, what, dir string, got, want func(string) string) {
	t.Helper()
	g, w := got(dir), want(dir)
	if g != w {
		t.Errorf("%s = %s; want %s", what, g, w)
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	a, b := twoDirs(t, dir)
	for _, name := range []string{"new", "new", "none/new", "."} {
		got, want := testenv.Opened(sluice.Create(filepath.Join(a, name)))(a), testenv.Opened(os.Create(filepath.Join(b, name)))(b)
		if got != want {
			t.Errorf("Create(%s) = %s; want %s", name, got, want)
		}
	}
	f, err := sluice.Create(filepath.Join(dir, "created"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := f.WriteString(testenv.Twenty); n != len(testenv.Twenty) || err != nil {
		t.Errorf("WriteString = %d, %v", n, err)
	}
	if n, err := f.ReadAt(make([]byte, 3), 0); n != 3 || err != nil {
		t.Errorf("ReadAt of what Create made = %d, %v; want 3, nil", n, err)
	}
}

func TestCreateTemp(t *testing.T) {
	dir := t.TempDir()
	f, err := sluice.CreateTemp(dir, "a*b")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if m, _ := filepath.Match(filepath.Join(dir, "a?*b"), f.Name()); !m {
		t.Errorf("CreateTemp made %s; want a*b", f.Name())
	}
	same(t, "CreateTemp of a path", dir, testenv.Opened(sluice.CreateTemp(dir, "a/b")), testenv.Opened(os.CreateTemp(dir, "a/b")))
}

func TestNewFile(t *testing.T) {
	if f := sluice.NewFile(^uintptr(0), "none"); f != nil {
		t.Errorf("NewFile(-1) = %v; want nil", f)
	}
	const unused = 1 << 20
	ours, theirs := sluice.NewFile(unused, "unused"), os.NewFile(unused, "unused")
	for _, c := range calls() {
		if got, want := results(c, ours, ""), results(c, theirs, ""); got != want {
			t.Errorf("%s of a descriptor that is none: %s; want %s", c.name, got, want)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	testenv.Write(t, filepath.Join(dir, "file"), testenv.Twenty)
	testenv.Write(t, filepath.Join(dir, "empty"), "")
	testenv.Write(t, filepath.Join(dir, "large"), strings.Repeat(testenv.Twenty, 100_000))
	names := []string{"file", "empty", "large", "none", "."}
	for i, n := range names {
		names[i] = filepath.Join(dir, n)
	}
	for _, name := range append(names, "/dev/null", "/proc/version", "/proc/cpuinfo", "/proc/kallsyms", "/proc/self/cmdline", "/sys/kernel/notes") {
		got, err := sluice.ReadFile(name)
		want, wantErr := os.ReadFile(name)
		if !bytes.Equal(got, want) || (got == nil) != (want == nil) || testenv.Describe(err, dir) != testenv.Describe(wantErr, dir) {
			t.Errorf("ReadFile(%s) = %d bytes, %s; want %d, %s", name, len(got), testenv.Describe(err, dir), len(want), testenv.Describe(wantErr, dir))
		}
	}
}

// TestReadFileLargerThanMemory checks the error for a file that is too large to read into memory.
func TestReadFileLargerThanMemory(t *testing.T) {
	dir := testenv.MemoryDir(t)
	name := filepath.Join(dir, "sparse")
	testenv.Write(t, name, "")
	if err := os.Truncate(name, 1<<61); err != nil {
		skip.For(t, skip.Tmpfs, err)
	}
	_, err := sluice.ReadFile(name)
	_, inFS := fs.ReadFile(sluice.DirFS(dir), "sparse")
	for want, err := range map[string]error{name: err, "sparse": inFS} {
		var pe *fs.PathError
		if !errors.Is(err, syscall.ENOMEM) || !errors.As(err, &pe) || pe.Op != "read" || pe.Path != want {
			t.Errorf("ReadFile(%s) = %v; want read %s: ENOMEM", want, err, want)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	a, b := twoDirs(t, dir)
	for i, name := range []string{"new", "new", "none/new", ".", "empty"} {
		data := []byte(testenv.Twenty[:20-5*i])
		got, want := sluice.WriteFile(filepath.Join(a, name), data, 0o640), os.WriteFile(filepath.Join(b, name), data, 0o640)
		if testenv.Describe(got, a) != testenv.Describe(want, b) {
			t.Errorf("WriteFile(%s) = %v; want %v", name, got, want)
		}
		if got, want := testenv.Contents(t, filepath.Join(a, name)), testenv.Contents(t, filepath.Join(b, name)); got != want {
			t.Errorf("WriteFile(%s) wrote %s; want %s", name, got, want)
		}
	}
}

func twoDirs(t *testing.T, dir string) (a, b string) {
	a, b = filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, d := range []string{a, b} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

// TestZeroFile checks that calls on the zero File return os.ErrInvalid, like calls on a nil
// *os.File.
func TestZeroFile(t *testing.T) {
	var f sluice.File
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b := make([]byte, 1)
	for name, call := range map[string]func() error{
		"Close":                  f.Close,
		"SyncContext, ended":     func() error { return f.SyncContext(ended) },
		"DatasyncContext, ended": func() error { return f.DatasyncContext(ended) },
		"ReadAtContext":          func() error { _, err := f.ReadAtContext(t.Context(), b, 0); return err },
		"ReadAtContext, ended":   func() error { _, err := f.ReadAtContext(ended, b, 0); return err },
		"WriteAtContext, ended":  func() error { _, err := f.WriteAtContext(ended, b, 0); return err },
		"Write":                  func() error { _, err := f.Write(b); return err },
		"Seek":                   func() error { _, err := f.Seek(0, io.SeekStart); return err },
		"ReadFrom":               func() error { _, err := f.ReadFrom(strings.NewReader("x")); return err },
		"WriteTo":                func() error { _, err := f.WriteTo(io.Discard); return err },
		"Stat":                   func() error { _, err := f.Stat(); return err },
		"ReadDir":                func() error { _, err := f.ReadDir(1); return err },
		"SetDeadline":            func() error { return f.SetDeadline(time.Time{}) },
		"SyscallConn":            func() error { _, err := f.SyscallConn(); return err },
		"Allocate":               func() error { return f.Allocate(0, 1) },
		"PunchHole":              func() error { return f.PunchHole(0, 1) },
		"Advise":                 func() error { return f.Advise(0, 1, sluice.AdviceDontNeed) },
		"Prefetch":               func() error { return f.Prefetch(0, 1) },
		"SyncRange":              func() error { return f.SyncRange(0, 1) },
		"Sync":                   f.Sync,
		"SyncContext":            func() error { return f.SyncContext(t.Context()) },
		"Datasync":               f.Datasync,
		"DatasyncContext":        func() error { return f.DatasyncContext(t.Context()) },
		"Truncate":               func() error { return f.Truncate(1) },
		"Chmod":                  func() error { return f.Chmod(0o600) },
		"Chown":                  func() error { return f.Chown(0, 0) },
		"Read":                   func() error { _, err := f.Read(make([]byte, 1)); return err },
		"ReadAt":                 func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
		"WriteAt":                func() error { _, err := f.WriteAt(make([]byte, 1), 0); return err },
	} {
		if err := call(); !errors.Is(err, os.ErrInvalid) {
			t.Errorf("%s = %v; want os.ErrInvalid", name, err)
		}
	}
}
