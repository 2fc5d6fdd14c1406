package copies

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// copyFile is a File, or an *os.File.
type copyFile interface {
	io.Reader
	io.Writer
	io.Seeker
	io.Closer
}

// copyOpeners returns ways to open the files of a copy.
func copyOpeners(s *sluice.Scheduler) map[string]func(name string, flag int) (copyFile, error) {
	return map[string]func(name string, flag int) (copyFile, error){
		"File":    func(name string, flag int) (copyFile, error) { return s.OpenFile(name, flag, 0o600) },
		"os.File": func(name string, flag int) (copyFile, error) { return os.OpenFile(name, flag, 0o600) },
	}
}

// TestCopyFile is package os's test of that name, for two Files, and for a File and an os.File. The
// kernel must copy.
func TestCopyFile(t *testing.T) {
	limits := []func(size int) int{
		func(int) int { return -1 },
		func(size int) int { return size - 1 },
		func(size int) int { return size / 2 },
		func(size int) int { return size + 7 },
	}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		openers := copyOpeners(s)
		for fromKind, openFrom := range openers {
			for toKind, openTo := range openers {
				for _, size := range copySizes {
					for i, limit := range limits {
						t.Run(fromKind+" to "+toKind+"/"+strconv.Itoa(size)+"/"+strconv.Itoa(i), func(t *testing.T) {
							dir := t.TempDir()
							testenv.Write(t, filepath.Join(dir, "from"), string(testenv.Noise(size)))
							from, err := openFrom(filepath.Join(dir, "from"), os.O_RDONLY)
							if err != nil {
								t.Fatal(err)
							}
							defer from.Close()
							to, err := openTo(filepath.Join(dir, "to"), os.O_RDWR|os.O_CREATE)
							if err != nil {
								t.Fatal(err)
							}
							defer to.Close()
							before := s.Stats()
							testCopyFile(t, to, from, size, limit(size))
							// An os.File reads from a limited File as from any Reader.
							if fromKind == toKind && fromKind == "os.File" || toKind == "os.File" && i > 0 {
								return
							}
							want := int64(copyBound(size, limit(size)))
							if copied := s.Stats().BytesCopied - before.BytesCopied; copied != want {
								t.Errorf("%d bytes were copied by the kernel; want %d", copied, want)
							}
						})
					}
				}
			}
		}
	})
}

func testCopyFile(t *testing.T, to, from copyFile, size, limit int) {
	t.Helper()
	r, l := limitedTo(from, limit)
	want := testenv.Noise(size)[:copyBound(size, limit)]
	n, err := io.Copy(to, r)
	if n != int64(len(want)) || err != nil {
		t.Errorf("Copy = %d, %v; want %d", n, err, len(want))
	}
	if l != nil && l.N != int64(limit)-n {
		t.Errorf("the limit is %d; want %d", l.N, int64(limit)-n)
	}
	pos1, err1 := from.Seek(0, io.SeekCurrent)
	pos2, err2 := to.Seek(0, io.SeekCurrent)
	if pos1 != n || pos2 != n || err1 != nil || err2 != nil {
		t.Errorf("the positions are %d, %v and %d, %v; want %d", pos1, err1, pos2, err2, n)
	}
	if _, err := to.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(to); !bytes.Equal(b, want) || err != nil {
		t.Errorf("the copy has %d bytes (%08x), %v; want %d (%08x)", len(b), testenv.Sum(b), err, len(want), testenv.Sum(want))
	}
}

// TestCopyFileOddly makes copies that the kernel cannot: to the end of existing data, a file to
// itself, from a file of /proc, to and from a pipe.
func TestCopyFileOddly(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		openers := copyOpeners(s)
		for fromKind, openFrom := range openers {
			for toKind, openTo := range openers {
				t.Run(fromKind+" to "+toKind, func(t *testing.T) {
					name := filepath.Join(t.TempDir(), "file")
					hello := name + "2"
					testenv.Write(t, hello, "hello")
					open := func(o func(string, int) (copyFile, error), name string, flag int) copyFile {
						f, err := o(name, flag)
						if err != nil {
							t.Fatal(err)
						}
						t.Cleanup(func() { f.Close() })
						return f
					}
					copied := func(to io.Writer, from io.Reader, want string) {
						t.Helper()
						n, err := io.Copy(to, from)
						if b, err1 := os.ReadFile(name); string(b) != want || err != nil || err1 != nil {
							t.Errorf("Copy = %d, %v; the file has %q, %v; want %q", n, err, b, err1, want)
						}
					}
					testenv.Write(t, name, "hello")
					copied(open(openTo, name, os.O_WRONLY|os.O_APPEND), open(openFrom, hello, os.O_RDONLY), "hellohello")
					same := open(openTo, name, os.O_RDWR)
					copied(same, same, "hellohellohellohello")
					testenv.Write(t, name, "")
					copied(open(openTo, name, os.O_RDWR), open(openFrom, "/proc/version", os.O_RDONLY), string(testenv.Must1(os.ReadFile("/proc/version"))))
					r, w := pipe(t)
					testenv.Write(t, name, "hello")
					copied(w, open(openFrom, name, os.O_RDONLY), "hello")
					w.Close()
					copied(open(openTo, name, os.O_WRONLY|os.O_TRUNC), r, "hello")
					var b strings.Builder
					copied(&b, open(openFrom, name, os.O_RDONLY), "hello")
					if b.String() != "hello" {
						t.Errorf("a strings.Builder has %q", b.String())
					}
				})
			}
		}
	})
}

// TestCopyNil checks that a nil File has the errors of a nil os.File.
func TestCopyNil(t *testing.T) {
	var none *sluice.File
	s := testenv.Scheduler(t, sluice.Options{})
	f, err := s.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for what, do := range map[string]func() (int64, error){
		"Copy(nil, nil)":    func() (int64, error) { return io.Copy(none, none) },
		"Copy(f, nil)":      func() (int64, error) { return io.Copy(f, none) },
		"Copy(nil, f)":      func() (int64, error) { return io.Copy(none, f) },
		"nil.ReadFrom(nil)": func() (int64, error) { return none.ReadFrom(none) },
		"f.ReadFrom(nil)":   func() (int64, error) { return f.ReadFrom(none) },
		"nil.ReadFrom(f)":   func() (int64, error) { return none.ReadFrom(f) },
	} {
		if n, err := do(); n != 0 || err != os.ErrInvalid {
			t.Errorf("%s = %d, %v; want 0, ErrInvalid", what, n, err)
		}
	}
}

// TestCopySharesLosses checks that a copy to a file with O_SYNC fails if a concurrent write has
// lost data. The kernel reports each loss once for an open file, so the write may have got the
// copy's loss.
func TestCopySharesLosses(t *testing.T) {
	dir := t.TempDir()
	testenv.Write(t, filepath.Join(dir, "from"), testenv.Twenty)
	for _, way := range []string{"ReadFrom", "WriteTo"} {
		from, err := sluice.Open(filepath.Join(dir, "from"))
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		to, err := sluice.OpenFile(filepath.Join(dir, way), os.O_RDWR|os.O_CREATE|os.O_SYNC, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		losses := testenv.FileCore(to).LostWrites
		beside := losses.Begin()
		ended := make(chan error)
		go func() {
			var err error
			if way == "ReadFrom" {
				_, err = to.ReadFrom(from)
			} else {
				_, err = from.WriteTo(to)
			}
			ended <- err
		}()
		// Until the bytes are written.
		for size := int64(0); size < int64(len(testenv.Twenty)); runtime.Gosched() {
			info, err := to.Stat()
			if err != nil {
				t.Fatal(err)
			}
			size = info.Size()
		}
		losses.End(beside, -int32(syscall.EIO))
		if err := <-ended; !errors.Is(err, syscall.EIO) {
			t.Errorf("%s beside a write that has lost data = %v; want EIO", way, err)
		}
	}
}

// TestCopyWaitsUnseen checks that a write does not wait for a concurrent copy to its file with
// O_SYNC that waits for a permit.
func TestCopyWaitsUnseen(t *testing.T) {
	dir := t.TempDir()
	testenv.Write(t, filepath.Join(dir, "from"), testenv.Twenty)
	s := testenv.Scheduler(t, sluice.Options{Threads: 1})
	from, err := s.Open(filepath.Join(dir, "from"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := s.OpenFile(filepath.Join(dir, "to"), os.O_RDWR|os.O_CREATE|os.O_SYNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	release, held := make(chan struct{}), make(chan struct{})
	core := testenv.CoreOf(s)
	go core.WithPermit(sched.Changes, nil, func() {
		close(held)
		<-release
	})
	<-held
	copied := make(chan error)
	go func() {
		_, err := to.ReadFrom(from)
		copied <- err
	}()
	for {
		if _, waiting := core.Devices().InUse(); waiting > 0 {
			break
		}
		runtime.Gosched()
	}
	losses := testenv.FileCore(to).LostWrites
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res := losses.Confirm(ctx, losses.Mark(), 1); res != 1 {
		t.Errorf("Confirm = %d: the write waits for a copy that has no permit", res)
	}
	close(release)
	if err := <-copied; err != nil {
		t.Error(err)
	}
}
