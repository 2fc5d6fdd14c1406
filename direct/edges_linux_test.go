package direct_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectEveryEdge reads and writes at every offset and length around the
// ends of blocks and of the file, in memory of every alignment.
func TestDirectEveryEdge(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := create(t, s, dir)
		var points []int
		for _, p := range []int{0, 512, testenv.PageSize, 2*testenv.PageSize - 512, 2 * testenv.PageSize} {
			points = append(points, p-1, p, p+1)
		}
		mem := testenv.AlignedBytes(4 * testenv.PageSize)
		for _, size := range points[1:] {
			for _, off := range points[1:] {
				for _, end := range points {
					if end <= off {
						continue
					}
					start := []int{0, 1, 4, 511, 512, testenv.PageSize - 1}[(size+off+end)%6]
					edge(t, f, size, off, mem[start:][:end-off])
				}
			}
		}
	})
}

// edge writes b into a file of size bytes.
func edge(t *testing.T, f *direct.File, size, off int, b []byte) {
	t.Helper()
	want := bytes.Repeat([]byte{'.'}, size)
	if err := os.WriteFile(f.Name(), want, 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := f.ReadAt(b, int64(off))
	if most := min(len(b), max(0, size-off)); n != most || (err == io.EOF) != (n < len(b)) || !bytes.Equal(b[:n], want[min(off, size):][:n]) {
		t.Errorf("ReadAt %d bytes at %d of %d = %d, %v; want %d", len(b), off, size, n, err, most)
	}
	for i := range b {
		b[i] = 'a' + byte(i%25)
	}
	if end := off + len(b); end > size {
		want = append(want, make([]byte, end-size)...)
	}
	copy(want[off:], b)
	if n, err := f.WriteAt(b, int64(off)); n != len(b) || err != nil {
		t.Errorf("WriteAt %d bytes at %d of %d = %d, %v", len(b), off, size, n, err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("WriteAt %d bytes at %d of %d left %d bytes, %v; want %d", len(b), off, size, len(got), err, len(want))
	}
}

// TestDirectDevice reads and writes a block device.
func TestDirectDevice(t *testing.T) {
	device := places.Loop(t, 1<<20) // 1 MiB
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, err := direct.OpenOn(s, device, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if size, err := f.Size(); size != 1<<20 || err != nil {
			t.Errorf("Size = %d, %v", size, err)
		}
		if n, err := f.WriteAt([]byte(testenv.Twenty), 1<<20-20); n != 20 || err != nil {
			t.Errorf("WriteAt up to the end = %d, %v", n, err)
		}
		if n, err := f.WriteAt([]byte(testenv.Twenty), 1<<20-10); n != 10 || !errors.Is(err, unix.ENOSPC) {
			t.Errorf("WriteAt over the end = %d, %v; want 10, ENOSPC", n, err)
		}
		b := make([]byte, 40)
		want := testenv.Twenty[:10] + testenv.Twenty[:10]
		if n, err := f.ReadAt(b, 1<<20-20); n != 20 || err != io.EOF || string(b[:n]) != want {
			t.Errorf("ReadAt over the end = %d, %v, %q; want 20, EOF, %q", n, err, b[:n], want)
		}
		if n, err := f.ReadAt(b, 1<<20); n != 0 || err != io.EOF {
			t.Errorf("ReadAt at the end = %d, %v", n, err)
		}
		if err := f.Sync(); err != nil {
			t.Error(err)
		}
	})
}

// TestDirectExplain checks the text of Explain on each kind of file system.
func TestDirectExplain(t *testing.T) {
	for name, want := range map[string]string{
		"ext4":                    "direct: offsets in 512, ",
		"ext4 on 4 KiB sectors":   "direct: offsets in 4096, ",
		"btrfs":                   "direct: offsets in 4096, memory in 4096",
		"ext4 without direct I/O": "buffered: ",
	} {
		t.Run(name, func(t *testing.T) {
			dir := places.FileSystems[name](t, 96<<20)
			s := testenv.Scheduler(t, sluice.Options{})
			f := create(t, s, dir)
			if got := f.Explain(); !strings.HasPrefix(got, want) {
				t.Errorf("Explain = %q; want %q", got, fmt.Sprint(want, "…"))
			}
		})
	}
}
