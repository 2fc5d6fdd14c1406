package starved

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	fullTimes  = flag.Int("starved.full", 1, "how often each way to write fills each place")
	fullPlaces = flag.String("starved.places", "ext4,memory,quota", "the places that are filled, or all")
)

// tight is a directory with little room.
type tight struct {
	dir    string
	err    error
	shrink func(t *testing.T) // leaves some MiB
	grow   func(t *testing.T) // makes much room
}

// room is the approximate room in a tight place.
const room = 3 << 20 // 3 MiB

// fullDisk makes a place on a new disk, which is filled.
func fullDisk(fs string) func(t *testing.T) tight {
	return func(t *testing.T) tight {
		dir := places.FileSystems[fs](t, 24<<20) // 24 MiB, or the file system's least
		filler := filepath.Join(dir, "filler")
		return tight{
			dir: dir, err: syscall.ENOSPC,
			shrink: func(t *testing.T) { places.Fill(t, filler, room) },
			grow: func(t *testing.T) {
				if err := os.Remove(filler); err != nil {
					t.Fatal(err)
				}
				places.SyncFS(t, dir)
			},
		}
	}
}

// fullMemory makes a place on a small tmpfs, which can grow.
func fullMemory(t *testing.T) tight {
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "mounting needs root")
	}
	dir := t.TempDir()
	places.Tool(t, "mount -t tmpfs -o size=3m starved", dir)
	t.Cleanup(func() { places.Unmount(t, dir) })
	return tight{
		dir: dir, err: syscall.ENOSPC,
		shrink: func(t *testing.T) { places.Tool(t, "mount -o remount,size=3m", dir) },
		grow:   func(t *testing.T) { places.Tool(t, "mount -o remount,size=64m", dir) },
	}
}

// quota makes a place in a subvolume of btrfs with a limit, which holds for root, too.
func quota(t *testing.T) tight {
	mounted := places.FileSystems["btrfs"](t, 256<<20) // 256 MiB
	dir := filepath.Join(mounted, "limited")
	places.Tool(t, "btrfs quota enable", mounted)
	places.Tool(t, "btrfs subvolume create", dir)
	return tight{
		dir: dir, err: syscall.EDQUOT,
		shrink: func(t *testing.T) { places.Tool(t, "btrfs qgroup limit 3M", dir) },
		grow: func(t *testing.T) {
			places.Tool(t, "btrfs qgroup limit none", dir)
			places.SyncFS(t, dir)
		},
	}
}

var tightPlaces = map[string]func(t *testing.T) tight{
	"ext4": fullDisk("ext4"), "xfs": fullDisk("xfs"), "btrfs": fullDisk("btrfs"),
	"ext4 without direct I/O": fullDisk("ext4 without direct I/O"), "memory": fullMemory, "quota": quota,
}

// fillWay is a way to write b, bytes of the file's Pattern, at off, the file's end.
type fillWay struct {
	name  string
	flag  int
	exact bool // the file has no byte beyond the count
	write func(f *fullFile, b []byte, off int64) (int, error)
}

// fullFile is an open file. One of its two files is nil.
type fullFile struct {
	s      *sluice.Scheduler
	file   *sluice.File
	direct *direct.File
}

var fillWays = []fillWay{
	{"WriteAt", 0, true, func(f *fullFile, b []byte, off int64) (int, error) { return f.file.WriteAt(b, off) }},
	{"WriteAtContext", 0, true, func(f *fullFile, b []byte, off int64) (int, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return f.file.WriteAtContext(ctx, b, off)
	}},
	{"Write", 0, true, func(f *fullFile, b []byte, _ int64) (int, error) {
		before, err1 := f.file.Seek(0, io.SeekCurrent)
		n, err := f.file.Write(b)
		after, err2 := f.file.Seek(0, io.SeekCurrent)
		if err := errors.Join(err1, err2); err != nil || after-before != int64(n) {
			return n, fmt.Errorf("Write = %d, and the position is %d more (%w)", n, after-before, err)
		}
		return n, err
	}},
	{"append", os.O_APPEND, true, func(f *fullFile, b []byte, _ int64) (int, error) { return f.file.Write(b) }},
	{"ReadFrom", 0, true, func(f *fullFile, b []byte, _ int64) (int, error) {
		n, err := f.file.ReadFrom(bytes.NewReader(b))
		return int(n), err
	}},
	{"batch", 0, true, func(f *fullFile, b []byte, off int64) (int, error) {
		ops := batch.New(f.s)
		op := ops.Chain().WriteAt(batch.On(f.file), b, off)
		err := ops.Do(context.Background())
		return op.N(), err
	}},
	{"O_SYNC", os.O_SYNC, true, func(f *fullFile, b []byte, off int64) (int, error) { return f.file.WriteAt(b, off) }},
	{"O_DIRECT", sys.O_DIRECT, false, func(f *fullFile, b []byte, off int64) (int, error) { return f.file.WriteAt(b, off) }},
	{"direct.File", 0, false, func(f *fullFile, b []byte, off int64) (int, error) { return f.direct.WriteAt(b, off) }},
}

// TestFull fills each place in each way on each driver. The error and the count must be right. The
// file must have the counted bytes, and they can be read, overwritten and synced. With room again,
// the rest can be written.
func TestFull(t *testing.T) {
	var made atomic.Int64
	defer func() { t.Logf("figure: %d disks filled", made.Load()) }()
	for name, place := range tightPlaces {
		if *fullPlaces != "all" && !slices.Contains(strings.Split(*fullPlaces, ","), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			at := place(t)
			testenv.EachDriverIn(t, at.dir, func(t *testing.T, s *sluice.Scheduler, _ string) {
				r := seed.Rand(t)
				for _, way := range fillWays {
					for range *fullTimes {
						t.Run(way.name, func(t *testing.T) { way.fill(t, s, at, 1+r.IntN(300_000)); made.Add(1) })
					}
				}
				t.Run("many", func(t *testing.T) { fillMany(t, s, at); made.Add(1) })
			})
		})
	}
}

// fill writes n bytes at a time until the place is full.
func (w fillWay) fill(t *testing.T, s *sluice.Scheduler, at tight, n int) {
	if w.flag&sys.O_DIRECT != 0 {
		n = (n + testenv.PageSize - 1) / testenv.PageSize * testenv.PageSize
	}
	name := filepath.Join(at.dir, "full")
	f := &fullFile{s: s}
	var err error
	if w.name == "direct.File" {
		f.direct, err = direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE, 0o600)
	} else {
		f.file, err = s.OpenFile(name, os.O_RDWR|os.O_CREATE|w.flag, 0o600)
	}
	if errors.Is(err, syscall.EINVAL) {
		skip.For(t, skip.Kernel, "no O_DIRECT here")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(f.close(), os.Remove(name)); err != nil {
			t.Error(err)
		}
		places.SyncFS(t, at.dir)
	}()
	at.shrink(t)
	b := testenv.AlignedBytes(n)
	pattern := func(off int64) {
		for i := range b {
			b[i] = testenv.Pattern(off + int64(i))
		}
	}
	size, got := int64(0), n
	for got == n && size < 100*room {
		pattern(size)
		got, err = w.write(f, b, size)
		if size += int64(got); (got < n) != (err != nil) {
			t.Fatalf("%s of %d bytes = %d, %v", w.name, n, got, err)
		}
	}
	if !errors.Is(err, at.err) {
		t.Fatalf("%s without room = %v; want %v", w.name, err, at.err)
	}
	more := int64(0)
	if !w.exact {
		more = int64(n - got)
	}
	testenv.HasPattern(t, name, size, more)
	f.onFull(t, at)
	testenv.HasPattern(t, name, size, more)
	at.grow(t)
	if f.file != nil && w.flag&os.O_APPEND == 0 {
		if _, err := f.file.Seek(size, io.SeekStart); err != nil {
			t.Error(err)
		}
	}
	pattern(size)
	if n, err := w.write(f, b, size); n != len(b) || err != nil {
		t.Errorf("%s with room again = %d, %v; want %d", w.name, n, err, len(b))
	}
	testenv.HasPattern(t, name, size+int64(n), 0)
	if err := f.sync(); err != nil {
		t.Errorf("Sync with room again = %v", err)
	}
	testenv.HasPattern(t, name, size+int64(n), 0)
}

// onFull makes calls that work on a full disk, too.
func (f *fullFile) onFull(t *testing.T, at tight) {
	b := testenv.AlignedBytes(testenv.PageSize)
	var n int
	var err error
	if f.file != nil {
		n, err = f.file.ReadAt(b, 0)
	} else {
		n, err = f.direct.ReadAt(b, 0)
	}
	if n != len(b) || err != nil {
		t.Errorf("ReadAt on a full disk = %d, %v", n, err)
	}
	if err := f.sync(); err != nil {
		t.Errorf("Sync on a full disk = %v", err)
	}
	if f.file == nil {
		return
	}
	if err := f.file.Allocate(0, 1<<40); !errors.Is(err, at.err) && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EFBIG) && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Allocate of 1 TiB = %v; want %v", err, at.err)
	}
}

func (f *fullFile) sync() error {
	if f.file != nil {
		return f.file.Sync()
	}
	return f.direct.Sync()
}

func (f *fullFile) close() error {
	if f.file != nil {
		return f.file.Close()
	}
	return f.direct.Close()
}

// fillMany has goroutines fill a place at once, each with its own file.
func fillMany(t *testing.T, s *sluice.Scheduler, at tight) {
	at.shrink(t)
	var all sync.WaitGroup
	var full atomic.Int64
	const n, goroutines = 20_000, 32
	for g := range goroutines {
		all.Go(func() {
			name := filepath.Join(at.dir, fmt.Sprint("one of many ", g))
			f, err := s.Create(name)
			if err != nil {
				if !errors.Is(err, at.err) {
					t.Errorf("Create = %v", err)
				}
				return
			}
			defer os.Remove(name)
			defer f.Close()
			b, size := make([]byte, n), int64(0)
			for err == nil && size < 20*room {
				for i := range b {
					b[i] = testenv.Pattern(size + int64(i))
				}
				var got int
				got, err = f.WriteAt(b, size)
				size += int64(got)
			}
			if !errors.Is(err, at.err) {
				t.Errorf("WriteAt without room = %v; want %v", err, at.err)
			}
			full.Add(1)
			testenv.HasPattern(t, name, size, 0)
		})
	}
	all.Wait()
	if full.Load() == 0 {
		t.Error("no file could be made")
	}
	places.SyncFS(t, at.dir)
	at.grow(t)
}
