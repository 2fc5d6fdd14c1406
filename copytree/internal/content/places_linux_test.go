package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// eachPlace runs test with a directory on each kind of file system.
func eachPlace(t *testing.T, test func(t *testing.T, dir string)) {
	t.Run("disk", func(t *testing.T) { test(t, t.TempDir()) })
	t.Run("tmpfs", func(t *testing.T) { test(t, places.Memory(t)) })
	for _, name := range []string{"ext4", "xfs", "btrfs", "ext4 with blocks of 1 KiB", "overlay"} {
		t.Run(name, func(t *testing.T) { test(t, places.FileSystems[name](t, 128<<20)) })
	}
}

// sparseFile makes a file of random pieces of data, zeros and holes. It returns the content.
func sparseFile(t testing.TB, random *rand.Rand, name string) []byte {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content := make([]byte, random.IntN(1<<random.IntN(23)))
	if err := f.Truncate(int64(len(content))); err != nil {
		t.Fatal(err)
	}
	for range random.IntN(6) {
		at := random.IntN(len(content) + 1)
		piece := content[at : at+random.IntN(len(content)-at+1)]
		if random.IntN(3) == 0 {
			piece = piece[:len(piece)&^4095]
		}
		if random.IntN(3) > 0 { // otherwise zeros
			copy(piece, noise(random.Uint64(), len(piece)))
		} else {
			clear(piece)
		}
		if _, err := f.WriteAt(piece, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	if random.IntN(2) == 0 {
		_ = f.Sync() // gives the file other extents
	}
	return content
}

// TestCopyModel copies random files with random settings. The copy must have the same bytes, take
// little more room than its source, and be counted correctly.
func TestCopyModel(t *testing.T) {
	s := testenv.Core(t)
	eachPlace(t, func(t *testing.T, dir string) {
		start := seed.Of(t)
		random := rand.New(rand.NewPCG(start, 0))
		name := filepath.Join(dir, "file")
		for i := range 60 {
			cfg := randomConfig(random, s)
			want := sparseFile(t, random, name)
			got, r, err := copyFile(t, New(cfg), name)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("seed %d, file %d of %d bytes, %+v: %d bytes, %v, first difference at %d", start, i, len(want), cfg, len(got), err, common(got[:min(len(got), len(want))], want))
			}
			if r.Bytes+r.Holes != int64(len(want)) || r.Holes < 0 {
				t.Fatalf("seed %d, file %d of %d bytes, %+v: %+v", start, i, len(want), cfg, r)
			}
		}
	})
}

func randomConfig(random *rand.Rand, s *sched.Scheduler) Config {
	cfg := Config{
		Reflink: []option.Reflink{option.ReflinkAuto, option.ReflinkNever}[random.IntN(2)],
		Sparse:  option.Sparse(random.IntN(3)),
		Verify:  random.IntN(4) == 0,
	}
	if random.IntN(4) > 0 {
		cfg.Scheduler = s
	}
	if random.IntN(2) == 0 {
		cfg.BlockSize = 512 + random.IntN(100_000)
	}
	return cfg
}

// blocks returns the bytes that a file takes on disk.
func blocks(t *testing.T, name string) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(name, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// TestHoles checks that holes at the beginning, in the middle and at the end stay, are filled, or
// are made.
func TestHoles(t *testing.T) {
	const mib = 1 << 20
	eachPlace(t, func(t *testing.T, dir string) {
		name := filepath.Join(dir, "file")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt(noise(1, mib), 2*mib); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(make([]byte, mib), 5*mib); err != nil { // zeros
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(9*mib), f.Sync()); err != nil {
			t.Fatal(err)
		}
		for sparse, want := range map[option.Sparse]int64{option.SparseAuto: 2 * mib, option.SparseAlways: mib, option.SparseNever: 9 * mib} {
			to := filepath.Join(dir, fmt.Sprint("copy", sparse))
			r, err := copyTo(t.Context(), t, New(Config{Sparse: sparse, Reflink: option.ReflinkNever}), to, name)
			if err != nil || r.Bytes != want || r.Holes != 9*mib-want {
				t.Errorf("Sparse %d: %+v, %v; want %d bytes", sparse, r, err, want)
			}
			if err := unix.Stat(to, new(unix.Stat_t)); err != nil {
				t.Error(err)
			}
			if err := unix.Syncfs(int(f.Fd())); err != nil { // blocks may be allocated late
				t.Error(err)
			}
			if took := blocks(t, to); took < want || took > want+want/8 {
				t.Errorf("Sparse %d: the copy takes %d bytes; want %d", sparse, took, want)
			}
		}
	})
}

// TestReflink checks that data is shared if possible. If not, ReflinkAlways is an error.
func TestReflink(t *testing.T) {
	shares := map[string]bool{"xfs": true, "btrfs": true}
	for _, place := range []string{"ext4", "xfs", "btrfs"} {
		t.Run(place, func(t *testing.T) {
			dir := places.FileSystems[place](t, 128<<20)
			name := filepath.Join(dir, "file")
			want := noise(1, 100_000)
			if err := os.WriteFile(name, want, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, reflink := range []option.Reflink{option.ReflinkAuto, option.ReflinkAlways, option.ReflinkNever} {
				got, r, err := copyFile(t, New(Config{Reflink: reflink}), name)
				cloned := shares[place] && reflink != option.ReflinkNever
				if reflink == option.ReflinkAlways && !cloned {
					var e *fault.Fault
					if !errors.As(err, &e) || e.Op != "ioctl FICLONE" || e.Err != unix.EOPNOTSUPP {
						t.Errorf("always: %v; want EOPNOTSUPP of FICLONE", err)
					}
					continue
				}
				if err != nil || !bytes.Equal(got, want) || (r.How == Cloned) != cloned || r.Bytes < 100_000 {
					t.Errorf("Reflink %d: %+v, %v; want it to be cloned: %v", reflink, r, err, cloned)
				}
			}
			if got, err := copyAs(t, New(Config{Verify: true}), name, 50_000); err != nil || !bytes.Equal(got, want) {
				t.Errorf("a file that has grown since fstat(2): %d bytes, %v; want %d", len(got), err, len(want))
			}
		})
	}
}

// TestReflinkRefused checks that one refusal ends the tries for a pair of file systems, but not for
// another pair.
func TestReflinkRefused(t *testing.T) {
	c := New(Config{})
	xfs, ext4 := places.FileSystems["xfs"](t, 300<<20), places.FileSystems["ext4"](t, 128<<20)
	from := filepath.Join(xfs, "file")
	if err := os.WriteFile(from, noise(1, 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, to := range []string{filepath.Join(ext4, "a"), filepath.Join(ext4, "b"), filepath.Join(xfs, "c")} {
		r, err := copyTo(t.Context(), t, c, to, from)
		if want := []How{Copied, Copied, Cloned}[i]; err != nil || r.How != want {
			t.Errorf("copy to %s = %+v, %v; want How %d", to, r, err, want)
		}
	}
	asked := make([]bool, 0, 2)
	for _, p := range *c.pairs.known.Load() {
		asked = append(asked, p.clone.mayWork())
	}
	if want := []bool{true, false}; !slices.Equal(asked, want) {
		t.Errorf("asked again = %v; want %v", asked, want)
	}
	if _, err := copyTo(t.Context(), t, New(Config{Reflink: option.ReflinkAlways}), filepath.Join(ext4, "d"), from); !errors.Is(err, unix.EXDEV) {
		t.Errorf("always, to another file system: %v; want EXDEV", err)
	}
}

// TestAllocated checks that on ext4 a Lazy copy has its blocks before its content. When it is done
// or has failed, it has no more blocks than its content needs.
func TestAllocated(t *testing.T) {
	const size = 3 << 20 // 3 MiB
	dir := places.FileSystems["ext4"](t, 128<<20)
	name := filepath.Join(dir, "file")
	for _, test := range []struct {
		what     string
		lazy     bool
		there    int64 // bytes that the source has; size is the claimed number
		stopped  bool
		begun    int64 // the least room with the first bytes
		err      error
		end, has int64 // the copy's size, and the most room
	}{
		{"lazy", true, size, false, size, nil, size, size},
		{"not lazy", false, size, false, 0, nil, size, size},
		{"shorter", true, size / 3, false, size, nil, size / 3, size / 3},
		{"stopped", true, size, true, size, context.Canceled, pipeSize, pipeSize},
	} {
		if err := os.WriteFile(name, noise(1, int(test.there)), 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, test.what)
		dst, err := os.Create(to)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		first := int64(-1)
		c := New(Config{Wrote: func(int64) {
			if first < 0 {
				first = blocks(t, to)
			}
			if test.stopped {
				stop()
			}
		}})
		in, out := of(t, src), of(t, dst)
		in.Size, in.Blocks, out.Lazy = size, size/512, test.lazy
		_, err = c.Copy(ctx, out, in)
		stop()
		if !errors.Is(err, test.err) {
			t.Errorf("%s: %v; want %v", test.what, err, test.err)
		}
		if first < test.begun || test.begun == 0 && first >= size {
			t.Errorf("%s: it has %d bytes of room with the first of its content; want %d", test.what, first, test.begun)
		}
		var st unix.Stat_t
		if err := errors.Join(unix.Stat(to, &st), src.Close(), dst.Close()); err != nil {
			t.Error(err)
		}
		if st.Size != test.end || st.Blocks*512 > test.has {
			t.Errorf("%s: the copy has %d bytes in %d; want %d in %d", test.what, st.Size, st.Blocks*512, test.end, test.has)
		}
		c.Close()
	}
}

// TestNoSpace checks that a full disk is an error of write, and that written bytes are counted.
func TestNoSpace(t *testing.T) {
	dir := places.FileSystems["ext4"](t, 24<<20)
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 64<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := copyTo(t.Context(), t, New(Config{}), filepath.Join(dir, "copy"), name)
	var e *fault.Fault
	if !errors.As(err, &e) || e.Op != "write" || !e.Dest || e.Err != unix.ENOSPC {
		t.Errorf("copy to a full disk: %v; want ENOSPC of write", err)
	}
	if r.Bytes == 0 || r.Bytes >= 64<<20 {
		t.Errorf("%d bytes were written", r.Bytes)
	}
}

// inside copies a part of a file inside the kernel, by the given way. It returns the offset where
// the copy ended, and the copy's content.
func inside(t *testing.T, c *Copier, from string, n int64, way func(*job, int64, int64) (int64, error)) (end int64, copied []byte) {
	t.Helper()
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	j := job{c: c, ctx: t.Context(), dst: of(t, dst), src: of(t, src), pair: c.pairs.of(of(t, dst), of(t, src))}
	if end, err = way(&j, 0, n); err != nil {
		t.Error(err)
	}
	copied, _ = os.ReadFile(dst.Name())
	return end, copied
}

// TestInside checks that files are copied inside the kernel if possible. Bytes that the calls do
// not see must be read.
func TestInside(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	want := noise(1, 700_000)
	if err := os.WriteFile(name, want, 0o600); err != nil {
		t.Fatal(err)
	}
	for way, call := range map[string]func(*job, int64, int64) (int64, error){"copyFileRange": (*job).copyFileRange, "splice": (*job).splice} {
		for from, want := range map[string][]byte{name: want, "/proc/self/environ": environ(t)} {
			c := New(Config{})
			defer c.Close()
			if end, got := inside(t, c, from, int64(len(want)), call); end != int64(len(want)) || !bytes.Equal(got, want) {
				t.Errorf("%s: %s = %d, and %d bytes; want %d", from, way, end, len(got), len(want))
			}
		}
	}
}

// TestSpliced checks that a large file is copied through a pipe, also to another file system, and
// that the pipe is kept. With small blocks no pipe is used.
func TestSpliced(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, noise(1, 700_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for block, want := range map[int]int{0: 1, 4096: 0} {
		c := New(Config{BlockSize: block, Reflink: option.ReflinkNever})
		defer c.Close()
		for _, dir := range []string{t.TempDir(), places.Memory(t)} {
			if _, err := copyTo(t.Context(), t, c, filepath.Join(dir, "copy"), name); err != nil {
				t.Error(err)
			}
		}
		if got := len(c.pipes.free); got != want {
			t.Errorf("with blocks of %d there are %d pipes; want %d", block, got, want)
		}
	}
}

// TestNotSpliced checks that a file over maxSpliced is copied by copy_file_range(2), without a
// pipe. If sharing data is not allowed, a pipe must be used, because that call might share. The
// file is a hole with data at both ends.
func TestNotSpliced(t *testing.T) {
	dir := t.TempDir()
	name, to := filepath.Join(dir, "file"), filepath.Join(dir, "copy")
	want := noise(1, 300_000)
	const end = maxSpliced + 1<<20
	src, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, off := range []int64{0, end} {
		if _, err := src.WriteAt(want, off); err != nil {
			t.Fatal(err)
		}
	}
	for reflink, pipes := range map[option.Reflink]int{option.ReflinkAuto: 0, option.ReflinkNever: 1} {
		c := New(Config{Reflink: reflink})
		defer c.Close()
		r, err := copyTo(t.Context(), t, c, to, name)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(c.pipes.free); n != pipes {
			t.Errorf("%d pipes are kept with Reflink %d; want %d", n, reflink, pipes)
		}
		if r.Bytes+r.Holes != end+int64(len(want)) || r.Holes < maxSpliced/2 {
			t.Errorf("Copy = %+v; want %d bytes, most of them in a hole", r, end+len(want))
		}
		dst, err := os.Open(to)
		if err != nil {
			t.Fatal(err)
		}
		defer dst.Close()
		for _, off := range []int64{0, end} {
			got := make([]byte, len(want))
			if n, err := dst.ReadAt(got, off); n != len(want) || !bytes.Equal(got, want) {
				t.Errorf("ReadAt(%d) = %d, %v, and other bytes", off, n, err)
			}
		}
		if err := os.Remove(to); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPipes checks that unwritten bytes in a pipe do not end up in another file, and that only a
// few unused pipes are kept.
func TestPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, noise(1, 700_000), 0o600); err != nil {
		t.Fatal(err)
	}
	c := New(Config{})
	defer c.Close()
	src, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	// Read-only.
	if _, err := c.Copy(t.Context(), of(t, src), of(t, src)); !errors.Is(err, unix.EBADF) {
		t.Errorf("copy to what is open for reading: %v; want EBADF", err)
	}
	if n := len(c.pipes.free); n != 0 {
		t.Errorf("%d pipes are kept that are not empty", n)
	}
	var had []pipe
	for range idlePipes + 3 {
		p, ok := c.pipes.get()
		if !ok {
			t.Fatal("no pipe")
		}
		had = append(had, p)
	}
	for _, p := range had {
		c.pipes.put(p)
	}
	if n := len(c.pipes.free); n != idlePipes {
		t.Errorf("%d pipes are kept; want %d", n, idlePipes)
	}
	if c.Close(); len(c.pipes.free) != 0 {
		t.Error("a pipe is kept after Close")
	}
}

func environ(t *testing.T) []byte {
	b, err := os.ReadFile("/proc/self/environ")
	if err != nil || len(b) == 0 {
		skip.For(t, skip.Proc, "no environment: ", err)
	}
	return b
}

// TestLong checks that Long is called before data is copied or read back, and not for shared data.
// On btrfs a file with chattr +C cannot share its blocks.
func TestLong(t *testing.T) {
	dir := places.FileSystems["btrfs"](t, 300<<20)
	share := filepath.Join(dir, "share")
	if err := os.WriteFile(share, noise(1, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(share)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for i, c := range []struct {
		cfg   Config
		plain bool // copy with chattr +C
		want  int
	}{
		{Config{}, false, 0},
		{Config{}, true, 1},
		{Config{Reflink: option.ReflinkNever}, false, 1},
		{Config{Verify: true}, false, 1},
	} {
		out, err := os.Create(filepath.Join(dir, fmt.Sprint("copy", i)))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if c.plain {
			const noCow = 0x00800000 // FS_NOCOW_FL of linux/fs.h
			if err := unix.IoctlSetPointerInt(int(out.Fd()), unix.FS_IOC_SETFLAGS, noCow); err != nil {
				t.Fatal(err)
			}
		}
		called := 0
		dst := of(t, out)
		dst.Long = func() { called++ }
		if _, err := New(c.cfg).Copy(t.Context(), dst, of(t, in)); err != nil || called != c.want {
			t.Errorf("%d: Copy = %v, and Long was called %d times; want %d", i, err, called, c.want)
		}
	}
}
