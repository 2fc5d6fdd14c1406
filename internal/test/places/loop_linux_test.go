package places

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestLoopIsDetached checks that a loop device ends with its last user: the file system of a killed
// test may be unmounted later.
func TestLoopIsDetached(t *testing.T) {
	hang.Watch(t)
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "loop devices need root")
	}
	image := filepath.Join(t.TempDir(), "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 64<<20)); err != nil {
		t.Fatal(err)
	}
	node, err := Attach(image)
	if err != nil {
		skip.For(t, skip.Loop, err)
	}
	attached := func() bool {
		b, err := os.ReadFile("/sys/block/" + filepath.Base(node.Name()) + "/loop/backing_file")
		return err == nil && string(b) == image+"\n"
	}
	t.Run("mounted", func(t *testing.T) {
		Mount(t, node.Name(), "mkfs.ext4 -q -F", "")
		if err := node.Close(); err != nil {
			t.Fatal(err)
		}
		if !attached() {
			t.Error("the device is not attached while it is mounted")
		}
	})
	hang.Eventually(func() bool { return !attached() })
}
