package places

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Slow returns a directory on an ext4 of 256 MiB with little room for dirty pages. Its device
// performs so many reads and writes so many bytes a second. Making it needs root, loop devices, and
// cgroup v1's blkio or v2's io. Without them Slow logs that, and returns an ordinary temporary
// directory.
func Slow(t testing.TB, reads, writes int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if os.Getuid() != 0 {
		t.Log("not throttled: this needs root")
		return dir
	}
	image, mnt := filepath.Join(dir, "image"), filepath.Join(dir, "mnt")
	must := func(name string, args ...string) (out string, ok bool) {
		b, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Logf("not throttled: %s: %v: %s", name, err, b)
		}
		return strings.TrimSpace(string(b)), err == nil
	}
	set := func(file, value string) bool {
		err := os.WriteFile(file, []byte(value), 0)
		if err != nil {
			t.Logf("%s: %v", file, err)
		}
		return err == nil
	}
	if os.WriteFile(image, nil, 0o600) != nil || os.Truncate(image, 256<<20) != nil || os.Mkdir(mnt, 0o755) != nil {
		return dir
	}
	mounts, _ := os.ReadFile("/proc/self/mounts") // without it there is no throttle
	groups, _ := os.ReadFile("/proc/self/cgroup")
	slow, err := findThrottle(string(mounts), string(groups))
	if err != nil {
		t.Log("not throttled: ", err)
		return dir
	}
	if _, ok := must("mkfs.ext4", "-q", image); !ok {
		return dir
	}
	node, err := Attach(image)
	if err != nil {
		t.Log("not throttled: ", err)
		return dir
	}
	t.Cleanup(func() { node.Close() })
	loop := node.Name()
	if _, ok := must("mount", loop, mnt); !ok {
		return dir
	}
	t.Cleanup(func() { Unmount(t, mnt) })
	b, err := os.ReadFile("/sys/block/" + filepath.Base(loop) + "/dev")
	if err != nil {
		t.Log(err)
		return dir
	}
	dev := strings.TrimSpace(string(b))
	if undo, err := slow.limit(dev, reads, writes); err != nil {
		t.Log("not throttled: ", err)
	} else {
		if !slow.v2 { // otherwise the limit belongs to a group that ends with this process
			afterwards(t, `echo "$0 0" >"$1"; echo "$0 0" >"$2"`, dev, filepath.Join(slow.dir, v1Reads), filepath.Join(slow.dir, v1Writes))
		}
		t.Cleanup(func() {
			if err := undo(); err != nil {
				t.Error(err)
			}
		})
	}
	// Older kernels lack these files; then there is only the throttle. Their values stay with the
	// device's number, for its next file system.
	bdi := "/sys/class/bdi/" + dev
	if set(bdi+"/strict_limit", "1") && set(bdi+"/max_bytes", "4194304") {
		t.Cleanup(func() {
			set(bdi+"/strict_limit", "0")
			set(bdi+"/max_ratio", "100")
		})
	}
	return mnt
}
