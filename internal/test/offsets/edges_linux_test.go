package offsets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// Distances of an offset from an edge, and lengths at each.
var (
	distances = []int64{
		-70_000, -65_537, -65_536, -8192, -4097, -4096, -1024, -513, -512, -511, -10, -1, 0, 1, 4096,
	}
	lengths = []int{1, 9, 511, 512, 4095, 4096, 8192, 65_536, 70_001}
)

// at is a range of a file.
type at struct {
	off int64
	n   int
}

func (a at) String() string { return fmt.Sprintf("%d bytes at %#x", a.n, a.off) }

// ranges returns the ranges at an edge.
func ranges(edge int64) (all []at) {
	for _, d := range distances {
		if d > math.MaxInt64-edge {
			continue
		}
		for _, n := range lengths {
			all = append(all, at{edge + d, n})
		}
	}
	// The offsets 2^63-4096 and 2^63-512 are 4095 and 511 before the largest one.
	if edge == math.MaxInt64 {
		for _, d := range []int64{65_535, 4095, 511} {
			for _, n := range append(lengths, int(d)) {
				all = append(all, at{edge - d, n})
			}
		}
	}
	return all
}

// largest returns the size of the largest possible file in dir.
func largest(t *testing.T, dir string) int64 {
	f, err := os.Create(filepath.Join(dir, "largest"))
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	size := int64(0)
	for bit := int64(1) << 62; bit > 0; bit >>= 1 {
		if f.Truncate(size|bit) == nil {
			size |= bit
		}
	}
	return size
}

var fileSystems = []string{
	"tmpfs", "ext4", "ext4 without direct I/O", "xfs", "xfs on 4 KiB sectors", "btrfs",
}

// edgeTest tests operations at edge, an offset, in dir.
type edgeTest func(t *testing.T, s *sluice.Scheduler, dir string, edge int64)

// everywhere runs test with each edge, on each file system and driver.
func everywhere(t *testing.T, test edgeTest) {
	for _, name := range fileSystems {
		t.Run(name, func(t *testing.T) {
			dir := mount(t, name)
			edges := []int64{1 << 31, 1 << 32, math.MaxInt64}
			if most := largest(t, dir); most != math.MaxInt64 {
				edges = append(edges, most)
			}
			testenv.EachDriverIn(t, dir, func(t *testing.T, s *sluice.Scheduler, dir string) {
				for _, edge := range edges {
					t.Run(fmt.Sprintf("%#x", edge), func(t *testing.T) { test(t, s, dir, edge) })
				}
			})
		})
	}
}

func mount(t *testing.T, name string) (dir string) {
	if name == "tmpfs" {
		return places.Memory(t)
	}
	return places.FileSystems[name](t, 96<<20) // 96 MiB
}

// result is the result of a read or a write.
type result struct {
	n   int
	err error
}

func (r result) String() string { return fmt.Sprintf("%d, %v", r.n, r.err) }

// is reports whether r equals os.File's result.
func (r result) is(want result) bool { return r.n == want.n && kind(r.err) == kind(want.err) }

// kind returns the errno in err, or io.EOF.
func kind(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return err
}
