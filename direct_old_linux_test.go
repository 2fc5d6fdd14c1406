package sluice_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
)

// TestDirectSector asks for the alignment of files and devices as is done on
// kernels before 6.1.
func TestDirectSector(t *testing.T) {
	device := loop(t, 96<<20, "-b", "4096")
	dir := mount(t, device, "mkfs.ext4 -q -F", "")
	write(t, filepath.Join(dir, "file"), twenty)
	memory := memoryDir(t)
	for name, want := range map[string]string{
		device:                     "offsets in 4096, memory in 4096 (the device's sector)",
		filepath.Join(dir, "file"): "offsets in 4096, memory in 4096 (the device's sector)",
		memory:                     "offsets in 4096, memory in 4096 (no one tells)",
	} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if g, err := sluice.GeometryOfDevice(f); err != nil || !strings.Contains(g.String(), want) {
			t.Errorf("%s: %v, %v; want %s", name, g, err, want)
		}
	}
}

func init() { children["limited direct"] = runLimitedDirect }

// runLimitedDirect makes writes that RLIMIT_FSIZE cuts short within a block,
// where the kernel refuses what is left of a direct one.
func runLimitedDirect() error {
	const most = pageSize + 1000
	limit := unix.Rlimit{Cur: most, Max: most}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return nil
	}
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	name := filepath.Join(os.Getenv(dirEnv), "file")
	for _, off := range []int64{0, 100, pageSize} {
		for _, n := range []int{2 * pageSize, 200_000} {
			f, err := s.CreateDirect(name)
			if err != nil {
				return err
			}
			b := alignedBytes(n)
			copy(b, bytes.Repeat([]byte{7}, n))
			got, err := f.WriteAt(b, off)
			info, err1 := os.Stat(name)
			if int64(got) != most-off || !errors.Is(err, unix.EFBIG) || err1 != nil || info.Size() != most {
				return fmt.Errorf("WriteAt %d bytes at %d = %d, %w; size %d", n, off, got, err, info.Size())
			}
			f.Close()
		}
	}
	return nil
}

// TestDirectSizeLimit writes past the largest size that a file may have.
func TestDirectSizeLimit(t *testing.T) {
	for _, driver := range drivers {
		t.Run(driver, func(t *testing.T) {
			scheduler(t, sluice.Options{Driver: driver}) // or skip
			if out, ok := child(t, "limited direct", dirEnv+"="+t.TempDir(), "SLUICE_DRIVER="+driver); !ok {
				t.Error(out)
			}
		})
	}
}
