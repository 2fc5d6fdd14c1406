//go:build amd64 || arm64

package transparent

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// eachDriver runs test with a provider on each driver that the system has.
func eachDriver(t *testing.T, test func(t *testing.T, p *provider)) {
	for _, name := range []string{"uring", "aio", "pool"} {
		t.Run(name, func(t *testing.T) {
			p, err := newProvider(name)
			if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
				skip.ForDriver(t, name, err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				inside.Scheduler(p.face).Release()
				if err := p.face.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, p)
		})
	}
}

// TestKinds checks that files that are not on a disk use plain system calls.
func TestKinds(t *testing.T) {
	regular := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(regular, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		regular:                    true,
		filepath.Dir(regular):      false,
		"/dev/null":                false,
		"/proc/self/stat":          false,
		"/sys/kernel/mm/ksm/run":   false,
		"/proc/self/mountinfo":     false,
		"/proc/sys/kernel/version": false,
	} {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := kindOf(int(f.Fd())); ok != want {
			t.Errorf("kindOf(%s) = %v; want %v", name, ok, want)
		}
		f.Close()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, ok := kindOf(int(r.Fd())); ok {
		t.Error("kindOf(a pipe) = true")
	}
}

// TestFlags checks that kindOf notices O_APPEND and O_DIRECT.
func TestFlags(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for flags, want := range map[int]kind{
		unix.O_RDWR:                   {},
		unix.O_WRONLY | unix.O_APPEND: {appends: true},
		unix.O_RDONLY | unix.O_DIRECT: {direct: true},
	} {
		fd, err := unix.Open(name, flags|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
		if err != nil {
			continue // no O_DIRECT here
		}
		if k, ok := kindOf(fd); !ok || k != want {
			t.Errorf("kindOf(flags %#x) = %v, %v; want %v", flags, k, ok, want)
		}
		unix.Close(fd)
	}
}

// TestSharedPosition reads a file by two descriptors that share a position. They read each block
// once between them, whole, whether all, a part or nothing is in the page cache.
func TestSharedPosition(t *testing.T) {
	eachDriver(t, func(t *testing.T, p *provider) {
		const blocks, size = 512, 16384
		name := filepath.Join(t.TempDir(), "file")
		start := seed.Of(t)
		writeBlocks(t, name, blocks, size)
		first, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(first)
		second, err := unix.Dup(first)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(second)
		drop(t, first, rand.New(rand.NewPCG(start, 0)), blocks*size)
		var mu sync.Mutex
		seen := make(map[byte]int)
		var readers sync.WaitGroup
		for i := range 8 {
			d := p.open([]int{first, second}[i%2]).Disk
			readers.Go(func() {
				b := make([]byte, size)
				for {
					n, err := d.Read(b)
					if err != nil || n != 0 && n != size {
						t.Errorf("Read = %d, %v", n, err)
						return
					}
					if n == 0 {
						return
					}
					if !bytes.Equal(b, bytes.Repeat(b[:1], size)) {
						t.Errorf("a block is torn: it begins with %#x and ends with %#x", b[0], b[size-1])
					}
					mu.Lock()
					seen[b[0]]++
					mu.Unlock()
				}
			})
		}
		readers.Wait()
		for i := range 256 {
			if n := seen[byte(i)]; n != blocks/256 {
				t.Errorf("%d blocks of %#x were read; want %d", n, i, blocks/256)
			}
		}
	})
}

// writeBlocks writes a file of blocks to the disk. Each block consists of one byte value.
func writeBlocks(t *testing.T, name string, blocks, size int) {
	t.Helper()
	content := make([]byte, blocks*size)
	for i := range content {
		content[i] = byte(i / size)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
}

// drop removes parts of a file from the page cache, if the file system can.
func drop(t *testing.T, fd int, r *rand.Rand, size int64) {
	t.Helper()
	// The kernel then reads missing pages one at a time.
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_RANDOM); err != nil {
		t.Fatal(err)
	}
	for range 64 {
		if err := unix.Fadvise(fd, r.Int64N(size)&^4095, 20<<10, unix.FADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSeek checks that Seek moves the position of the descriptor, also with O_DIRECT.
func TestSeek(t *testing.T) {
	eachDriver(t, func(t *testing.T, p *provider) {
		name := filepath.Join(t.TempDir(), "file")
		writeBlocks(t, name, 4, 4096)
		for _, flags := range []int{unix.O_RDONLY, unix.O_RDONLY | unix.O_DIRECT} {
			fd, err := unix.Open(name, flags|unix.O_CLOEXEC, 0)
			if err != nil {
				continue // no O_DIRECT here
			}
			d := p.open(fd).Disk
			if pos, err := d.Seek(8192, 0); pos != 8192 || err != nil {
				t.Errorf("Seek = %d, %v", pos, err)
			}
			b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := d.Read(b); n != 4096 || err != nil || b[0] != 2 {
				t.Errorf("Read after Seek = %d, %v, of block %d; want 4096, nil, of block 2", n, err, b[0])
			}
			if pos, err := d.Seek(0, 1); pos != 12288 || err != nil {
				t.Errorf("position %d, %v; want 12288", pos, err)
			}
			if _, err := d.Seek(-1, 0); err != syscall.EINVAL {
				t.Errorf("Seek(-1) = %v; want EINVAL", err)
			}
			unix.Munmap(b)
			unix.Close(fd)
		}
	})
}

// onPool returns a provider on the pool driver, until the end of the test.
func onPool(t *testing.T) *provider {
	t.Helper()
	p, err := newProvider("pool")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		inside.Scheduler(p.face).Release()
		p.face.Close()
	})
	return p
}

// TestOneAllocation checks that opening a file makes one allocation: programs open many files for a
// single read.
func TestOneAllocation(t *testing.T) {
	p := onPool(t)
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd := int(f.Fd())
	if n := testing.AllocsPerRun(100, func() { p.open(fd) }); n > 1 {
		t.Errorf("to open a file takes %v allocations; want 1", n)
	}
}

// TestSeeks checks that internal/poll calls lseek(2) for files in the page cache.
func TestSeeks(t *testing.T) {
	p := onPool(t)
	name := filepath.Join(t.TempDir(), "file")
	for _, direct := range []int{0, unix.O_DIRECT} {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC|direct, 0o600)
		if err != nil {
			continue // no O_DIRECT here
		}
		if s := p.open(fd); s == nil || s.Seeks != (direct != 0) {
			t.Errorf("with flags %#x: %+v; want Seeks %v", direct, s, direct != 0)
		}
		unix.Close(fd)
	}
}

// TestLooks checks that internal/poll reads and writes cached files directly, unless operations are
// counted or recorded.
func TestLooks(t *testing.T) {
	p := onPool(t)
	looks := p.core.KnowsEnd() // the kernel must report the end of a file
	name := filepath.Join(t.TempDir(), "file")
	for _, c := range []struct {
		flags  int
		counts bool
		want   bool
	}{{0, false, true}, {0, true, false}, {unix.O_DIRECT, false, false}} {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC|c.flags, 0o600)
		if err != nil {
			continue // no O_DIRECT here
		}
		p.counts = c.counts
		if s := p.open(fd); (s.Misses != nil) != (c.want && looks) || s.Misses != nil && s.Misses.Load() != 0 {
			t.Errorf("with flags %#x, counting %v, it tries the page cache: %v; want %v", c.flags, c.counts, s.Misses != nil, c.want && looks)
		} else if (s.ConcurrentSyncs != nil) != c.want {
			t.Errorf("with flags %#x, counting %v, it writes: %v; want %v", c.flags, c.counts, s.ConcurrentSyncs != nil, c.want)
		}
		unix.Close(fd)
		if s := p.fresh(); (s != nil) == c.counts || s != nil && (s.Disk != nil || s.ConcurrentSyncs == nil || (s.Misses != nil) != looks) {
			t.Errorf("counting %v, the state of a file that was just opened is %+v", c.counts, s)
		}
	}
}

// TestLooksNoMore checks that after a miss the Disk tries the page cache in place of internal/poll,
// until a try succeeds. On a file system that does not support tries, no try ever succeeds.
func TestLooksNoMore(t *testing.T) {
	p := onPool(t)
	if !p.looks() {
		skip.For(t, skip.Kernel, "this kernel does not report the end of a file to a look into the page cache, so there is none")
	}
	fd, err := unix.MemfdCreate("file", unix.MFD_CLOEXEC)
	if err != nil {
		skip.For(t, skip.Kernel, err)
	}
	defer unix.Close(fd)
	if _, err := unix.Pwrite(fd, make([]byte, 4096), 0); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	if _, err := unix.Preadv2(fd, [][]byte{b}, 0, unix.RWF_NOWAIT); err != unix.EOPNOTSUPP {
		skip.For(t, skip.Case, "files in memory can tell whether a read would wait: ", err)
	}
	s := p.open(fd)
	for range 3 {
		if n, err := s.Disk.Pread(b, 0); n != 4096 || err != nil {
			t.Errorf("Pread = %d, %v; want 4096", n, err)
		}
		if s.Misses == nil || s.Misses.Load() == 0 {
			t.Error("internal/poll would look again")
		}
	}
}
