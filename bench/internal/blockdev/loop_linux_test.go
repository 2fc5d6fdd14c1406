package blockdev

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/burst"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// image returns the name of a file of zeros that has room for 4096 writes.
func image(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(name, make([]byte, 16<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func loopDisk(t *testing.T, name string) *Disk {
	t.Helper()
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "loop devices take root")
	}
	d, err := openLoop(name)
	if err != nil {
		skip.For(t, skip.Loop, err)
	}
	return d
}

// TestLoop writes through a loop device and sets its scheduler. After Close the device must be
// gone, with its old scheduler.
func TestLoop(t *testing.T) {
	const writes = 64
	name := image(t)
	d := loopDisk(t, name)
	about := d.About()
	if about.Size != 512 && about.Note == "" {
		t.Errorf("writes are of %d bytes, and nothing is said of it", about.Size)
	}
	device := *d.device
	for _, scheduler := range about.Schedulers {
		if err := d.SetScheduler(scheduler); err != nil {
			t.Error(err)
		}
		if _, now := device.schedulers(); now != scheduler {
			t.Errorf("scheduler is %s; want %s", now, scheduler)
		}
	}
	if _, err := d.Burst(t.Context(), burst.AIO, writes); err != nil {
		if _, ok := errors.AsType[*burst.UnsupportedError](err); !ok {
			t.Error(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if _, now := device.schedulers(); now != about.Scheduler {
		t.Errorf("scheduler is %s after Close; want %s", now, about.Scheduler)
	}
	if text := Host.text(device.Name, "loop/backing_file"); strings.Contains(text, name) {
		t.Errorf("%s is still over %s", device.Name, text)
	}
	got, err := os.ReadFile(name)
	if err != nil || bytes.Contains(got[:writes*about.Size], make([]byte, 256)) || !bytes.Equal(got[writes*about.Size:][:4096], make([]byte, 4096)) {
		t.Errorf("file has not the %d writes of %d bytes in its beginning, %v", writes, about.Size, err)
	}
}

// TestDeviceInUse opens a loop device that is already open with O_EXCL, which sysfs does not show.
func TestDeviceInUse(t *testing.T) {
	d := loopDisk(t, image(t))
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got, err := openDevice(Host, d.About().Name, 1000); err == nil || !strings.HasSuffix(err.Error(), "is in use; nothing is overwritten") {
		t.Errorf("openDevice = %v, %v; want that it is in use", got, err)
	}
	if _, err := openDevice(Host, d.About().Name, 5000); err == nil || !strings.Contains(err.Error(), "want at least") {
		t.Errorf("openDevice for more than there is = %v", err)
	}
}

// TestOpenFile checks the disk of a user without root.
func TestOpenFile(t *testing.T) {
	d, err := openFile(image(t))
	if err != nil {
		skip.For(t, skip.Disk, err)
	}
	defer d.Close()
	if a := d.About(); a.Name != "" || a.What != "a file in --dir" || len(a.Schedulers) != 0 || (a.Size != 512 && a.Size != 4096) {
		t.Errorf("About = %+v", a)
	}
}

func TestOpenWithoutAFile(t *testing.T) {
	if _, err := Open("", filepath.Join(t.TempDir(), "nowhere"), 1); !errors.Is(err, unix.ENOENT) {
		t.Errorf("Open = %v; want ENOENT", err)
	}
}
