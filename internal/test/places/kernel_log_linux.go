package places

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// complaint matches the kernel's messages about an error in a file system or in the memory below
// it. mkfs's trials on a loop device, and informational lines, do not match.
var complaint = regexp.MustCompile(`(?i)(EXT4-fs|XFS|BTRFS|overlayfs|buffer i/o).*(warning|error|corrupt|critical|assert|shut)|page cache invalidation failure|kernel BUG|BUG:|WARNING: |refcount_t:`)

// unwritten is a warning of ext4 in kernels with CONFIG_EXT4_DEBUG. ext4 merges extents that an
// O_DIRECT write is about to convert with their neighbours, and splits them again when it notices.
// Four threads with pwrite(2), with and without O_DIRECT, fallocate(2) and fsync(2) on one file
// cause it, too.
const unwritten = "ext4_convert_unwritten_extents_endio"

var device = regexp.MustCompile(`\((?:device )?([a-z]+[0-9]*)\)|\bdev(?:ice)? ([a-z]+[0-9]*)\b`)

// WatchKernel fails the test if, until its end, the kernel complains about the file system at dir,
// or about an unnamed one. If the kernel's log cannot be read, WatchKernel only logs that.
func WatchKernel(t testing.TB, dir string) {
	t.Helper()
	log, err := os.OpenFile("/dev/kmsg", os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err == nil {
		_, err = unix.Seek(int(log.Fd()), 0, unix.SEEK_END)
	}
	if err != nil {
		t.Logf("the kernel's log is not looked at: %v", err)
		return
	}
	node := deviceOf(dir)
	t.Cleanup(func() {
		defer log.Close()
		known := 0
		lines, err := since(int(log.Fd()))
		if err != nil {
			t.Errorf("reading the kernel's log: %v", err)
		}
		for _, line := range lines {
			switch {
			case !complains(line, node):
			case strings.Contains(line, unwritten):
				known++
			default:
				t.Errorf("the kernel's log has: %s", line)
			}
		}
		if known > 0 {
			t.Logf("the kernel's log has %d lines with %s, which plain system calls cause, too", known, unwritten)
		}
	})
}

// complains reports whether a line is a complaint that does not name another device. The kernel
// prints ten of a kind in five seconds, and then the number that it left out.
func complains(line, node string) bool {
	if !complaint.MatchString(line) || strings.HasSuffix(line, "callbacks suppressed") {
		return false
	}
	m := device.FindStringSubmatch(line)
	return m == nil || m[1]+m[2] == node
}

// since returns the lines of the kernel's log that fd has not read yet.
func since(fd int) (lines []string, err error) {
	b := make([]byte, 8<<10) // 8 KiB: the longest record
	for {
		n, err := unix.Read(fd, b)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return lines, nil
		// Old records were overwritten; the next is there.
		case errors.Is(err, unix.EPIPE), errors.Is(err, unix.EINTR):
			continue
		case err != nil || n <= 0:
			return lines, err
		}
		// A record is "priority,number,time,flags;text\n", and lines with details.
		if _, text, ok := strings.Cut(string(b[:n]), ";"); ok {
			text, _, _ = strings.Cut(text, "\n")
			lines = append(lines, text)
		}
	}
}

// deviceOf returns the device of the file system at dir, by its name in the kernel's log: loop0. It
// is "" for a file system without a device.
func deviceOf(dir string) string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	dir, best, node := filepath.Clean(dir), 0, ""
	for line := range strings.Lines(string(mounts)) {
		words := strings.Fields(line)
		i := 6
		for i < len(words) && words[i] != "-" {
			i++
		}
		if i+2 >= len(words) {
			continue
		}
		at := sys.Unescape(words[4])
		if inside := at == "/" || dir == at || strings.HasPrefix(dir, at+"/"); inside && len(at) >= best {
			best, node = len(at), ""
			if strings.HasPrefix(words[i+2], "/dev/") {
				node = filepath.Base(words[i+2])
			}
		}
	}
	return node
}
