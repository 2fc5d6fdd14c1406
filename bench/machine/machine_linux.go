package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/mountinfo"
)

func describe(info *Info, dir string) {
	info.Kernel = Kernel()
	info.CPU = cpuModel()
	var si unix.Sysinfo_t
	if unix.Sysinfo(&si) == nil {
		info.Memory = int64(si.Totalram) * int64(si.Unit)
	}
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return
	}
	m := mountOf(dir, st.Dev)
	info.FileSystem, info.Mount = m.fsType, m.options
	info.Device = device(st.Dev, m.source)
}

// Kernel returns the kernel's release, as printed by uname -r.
func Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// cpuModel returns the first processor's model (x86), or its numbers of implementer and part
// (arm64).
func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	var implementer, part string
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); strings.TrimSpace(key) {
		case "model name":
			return value
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		}
	}
	return strings.TrimSpace(implementer + " " + part)
}

// mount is a line of /proc/self/mountinfo.
type mount struct {
	point, fsType, source, options string
}

// mountOf returns the mount of dir, on device dev: the deepest one of that device. With btrfs the
// numbers of mountinfo and stat(2) differ; then it is the deepest of all.
func mountOf(dir string, dev uint64) mount {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	text, _ := os.ReadFile("/proc/self/mountinfo")
	id := fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev))
	var best, bestOfDev mount
	for line := range strings.Lines(string(text)) {
		devID, m, ok := parseMount(line)
		if !ok || !within(dir, m.point) {
			continue
		}
		if len(m.point) >= len(best.point) {
			best = m
		}
		if devID == id && len(m.point) >= len(bestOfDev.point) {
			bestOfDev = m
		}
	}
	if bestOfDev.point != "" {
		return bestOfDev
	}
	return best
}

// parseMount parses a line of mountinfo, see proc_pid_mountinfo(5).
func parseMount(line string) (dev string, m mount, ok bool) {
	left, right, found := strings.Cut(line, " - ")
	a, b := strings.Fields(left), strings.Fields(right)
	if !found || len(a) < 6 || len(b) < 3 {
		return "", m, false
	}
	m = mount{point: mountinfo.Unescape(a[4]), fsType: b[0], source: mountinfo.Unescape(b[1]), options: a[5] + "," + b[2]}
	return a[2], m, true
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// device describes the disk of a file system. It looks the disk up by the number, or by the name of
// the source if no device has that number (btrfs).
func device(dev uint64, source string) Device {
	sys, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(dev), unix.Minor(dev)))
	if err != nil {
		sys, err = filepath.EvalSymlinks("/sys/class/block/" + filepath.Base(source))
	}
	if err != nil {
		return Device{}
	}
	if _, err := os.Stat(sys + "/partition"); err == nil {
		sys = filepath.Dir(sys) // the disk of a partition
	}
	d := Device{
		Name:      filepath.Base(sys),
		Model:     sysText(sys + "/device/model"),
		Scheduler: scheduler(sysText(sys + "/queue/scheduler")),
		Virtual:   virtual(sys),
	}
	d.Rotational = !d.IsVirtual() && sysText(sys+"/queue/rotational") == "1"
	return d
}

// virtual reports whether the disk with that folder in /sys is a hypervisor's. Its queue/rotational
// is 1 by default, whatever disk the host has.
func virtual(sys string) bool {
	for part := range strings.SplitSeq(sys, "/") {
		if strings.HasPrefix(part, "virtio") || strings.HasPrefix(part, "vbd-") {
			return true
		}
	}
	return false
}

// scheduler returns the current I/O scheduler, which is in brackets.
func scheduler(list string) string {
	_, rest, found := strings.Cut(list, "[")
	if !found {
		return list
	}
	name, _, _ := strings.Cut(rest, "]")
	return name
}

func sysText(name string) string {
	text, _ := os.ReadFile(name)
	return strings.TrimSpace(string(text))
}
