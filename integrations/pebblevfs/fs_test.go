package pebblevfs_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var modes = []pebblevfs.Mode{pebblevfs.Buffered, pebblevfs.Hybrid, pebblevfs.Direct}

// eachMode runs test with an FS of each mode. Its background work has a class.
func eachMode(t *testing.T, o sluice.Options, test func(t *testing.T, fs *pebblevfs.FS, s *sluice.Scheduler, background *sluice.Class)) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			before := pebblevfs.Streams()
			s := testenv.Scheduler(t, o)
			class, err := s.Class("pebble background", sluice.ClassOptions{Weight: 10})
			if err != nil {
				t.Fatal(err)
			}
			fs, err := pebblevfs.New(pebblevfs.Options{Mode: mode, Scheduler: s, Background: class})
			if err != nil {
				t.Fatal(err)
			}
			test(t, fs, s, class)
			if n := pebblevfs.Streams(); n != before {
				t.Errorf("%d streams are left, %d before", n, before)
			}
			testenv.WantIdle(t, s)
		})
	}
}

func TestOptions(t *testing.T) {
	s, other := testenv.Scheduler(t, sluice.Options{}), testenv.Scheduler(t, sluice.Options{})
	class, err := other.Class("another's", sluice.ClassOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]pebblevfs.Options{
		"Options.Mode 3":    {Mode: 3, Scheduler: s},
		`class "another's"`: {Scheduler: s, Background: class},
	} {
		if _, err := pebblevfs.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v; want an error with %q", err, want)
		}
	}
	if fs, err := pebblevfs.New(pebblevfs.Options{}); err != nil || fs == nil {
		t.Errorf("New of the zero Options = %v, %v", fs, err)
	}
}

// TestDevice checks that a file has the device that vfs.Default reports, also after it was removed.
func TestDevice(t *testing.T) {
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, _ *sluice.Class) {
		for _, dir := range []string{t.TempDir(), testenv.MemoryDir(t)} {
			want, err := vfs.Default.Stat(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"1.sst", "1.log"} {
				name = filepath.Join(dir, name)
				f := create(t, fs, name, "pebble-compaction")
				if err := fs.Remove(name); err != nil {
					t.Fatal(err)
				}
				if _, err := f.Write([]byte("seven b")); err != nil {
					t.Fatal(err)
				}
				info, err := f.Stat()
				if err != nil {
					t.Fatal(err)
				}
				if info.DeviceID() != want.DeviceID() || info.Size() != 7 {
					t.Errorf("Stat = device %v, %d bytes; want %v, 7", info.DeviceID(), info.Size(), want.DeviceID())
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func create(t testing.TB, fs vfs.FS, name string, category vfs.DiskWriteCategory) vfs.File {
	t.Helper()
	f, err := fs.Create(name, category)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFd checks that files have a descriptor: without one Pebble does not preallocate.
func TestFd(t *testing.T) {
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, _ *sluice.Class) {
		for _, name := range []string{"1.sst", "1.log"} {
			f := create(t, fs, filepath.Join(t.TempDir(), name), "pebble-wal")
			if f.Fd() == vfs.InvalidFd {
				t.Errorf("%s: the descriptor is InvalidFd", name)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func contents(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestCreateReplaces checks that Create never writes into an existing file, which may have another
// name.
func TestCreateReplaces(t *testing.T) {
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, _ *sluice.Class) {
		for _, ext := range []string{".sst", ".log"} {
			dir := t.TempDir()
			name, link := filepath.Join(dir, "1"+ext), filepath.Join(dir, "2"+ext)
			testenv.Write(t, name, "old")
			if err := fs.Link(name, link); err != nil {
				t.Fatal(err)
			}
			f := create(t, fs, name, vfs.WriteCategoryUnspecified)
			if _, err := f.Write([]byte("new text")); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if a, b := contents(t, name), contents(t, link); a != "new text" || b != "old" {
				t.Errorf("%s: the files have %q and %q; want %q and %q", ext, a, b, "new text", "old")
			}
			if _, err := fs.Create(filepath.Join(dir, "none", "1"+ext), vfs.WriteCategoryUnspecified); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("Create in no directory = %v; want ErrNotExist", err)
			}
			if _, err := fs.Open(filepath.Join(dir, "3"+ext), vfs.SequentialReadsOption); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("Open of no file = %v; want ErrNotExist", err)
			}
			if err := fs.MkdirAll(filepath.Join(dir, "dir"+ext, "file"), 0o777); err != nil {
				t.Fatal(err)
			}
			if _, err := fs.Create(filepath.Join(dir, "dir"+ext), vfs.WriteCategoryUnspecified); err == nil {
				t.Error("Create has replaced a directory that is not empty")
			}
		}
	})
}

// TestManyStreams checks that one goroutine can read and write more tables in turn than there are
// streams, with any memory of the pool.
func TestManyStreams(t *testing.T) {
	for _, memory := range []int64{1, 16 << 20, 64 << 20} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) { testManyStreams(t, memory) })
	}
}

func testManyStreams(t *testing.T, memory int64) {
	hang.Watch(t)
	const size = 1<<20 + 5
	eachMode(t, sluice.Options{BufferMemory: memory}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, _ *sluice.Class) {
		name := filepath.Join(t.TempDir(), "1.sst")
		noise := testenv.Noise(size)
		if err := os.WriteFile(name, noise, 0o600); err != nil {
			t.Fatal(err)
		}
		var in, out []vfs.File
		for i := range pebblevfs.MostStreams {
			f, err := fs.Open(name, vfs.SequentialReadsOption)
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, f)
			if i%8 == 1 {
				out = append(out, create(t, fs, filepath.Join(t.TempDir(), "2.sst"), "pebble-compaction"))
			}
		}
		if n := pebblevfs.Streams(); strings.HasSuffix(t.Name(), "buffered") != (n == 0) || n > pebblevfs.StreamsOf(fs) {
			t.Errorf("%d streams; want some, at most %d, unless buffered", n, pebblevfs.StreamsOf(fs))
		}
		b := make([]byte, 300<<10)
		for off := 0; off < size; off += len(b) {
			for i, f := range in {
				n, err := f.ReadAt(b, int64(off))
				if want := min(len(b), size-off); n != want || err != nil && (err != io.EOF || n == len(b)) {
					t.Fatalf("file %d: ReadAt(%d) = %d, %v; want %d", i, off, n, err, want)
				}
				if testenv.Sum(b[:n]) != testenv.Sum(noise[off:off+n]) {
					t.Fatalf("file %d: ReadAt(%d): wrong bytes", i, off)
				}
				if i < len(out) {
					if _, err := out[i].Write(b[:n]); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for _, f := range append(in, out...) {
			if info, err := f.Stat(); err != nil || info.Size() != size {
				t.Errorf("Stat = %v, %v; want %d bytes", info, err, size)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
