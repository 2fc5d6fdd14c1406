package direct_test

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
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectSector asks for the alignment of files and devices as on kernels before 6.1.
func TestDirectSector(t *testing.T) {
	device := places.Loop(t, 96<<20, "-b", "4096")
	dir := places.Mount(t, device, "mkfs.ext4 -q -F", "")
	testenv.Write(t, filepath.Join(dir, "file"), testenv.Twenty)
	memory := testenv.MemoryDir(t)
	for name, want := range map[string]string{
		device:                     "offsets in 4096, memory in 4096 (the device's sector)",
		filepath.Join(dir, "file"): "offsets in 4096, memory in 4096 (the device's sector)",
		memory:                     "offsets in 4096, memory in 4096 (assumed, as the system reports none)",
	} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if g, err := directio.GeometryOfDevice(f); err != nil || !strings.Contains(g.String(), want) {
			t.Errorf("%s: %v, %v; want %s", name, g, err, want)
		}
	}
}

func init() { testenv.Children["limited direct"] = runLimitedDirect }

// runLimitedDirect makes writes that RLIMIT_FSIZE cuts short within a block. The kernel refuses the
// rest of a direct write.
func runLimitedDirect() error {
	const most = testenv.PageSize + 1000
	limit := unix.Rlimit{Cur: most, Max: most}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return nil
	}
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	name := filepath.Join(os.Getenv(testenv.DirEnv), "file")
	for _, off := range []int64{0, 100, testenv.PageSize} {
		for _, n := range []int{2 * testenv.PageSize, 200_000} {
			f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
			if err != nil {
				return err
			}
			b := testenv.AlignedBytes(n)
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
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			testenv.Scheduler(t, sluice.Options{Driver: driver}) // or skips the test
			if out, ok := testenv.Child(t, "limited direct", testenv.DirEnv+"="+t.TempDir(), "SLUICE_DRIVER="+driver); !ok {
				t.Error(out)
			}
		})
	}
}
