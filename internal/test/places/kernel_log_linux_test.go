package places

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestComplains has lines that kernels have written.
func TestComplains(t *testing.T) {
	for _, c := range []struct {
		line string
		want bool
	}{
		{"EXT4-fs warning (device loop3): ext4_dio_write_end_io:1: something", true},
		{"EXT4-fs error (device loop3): ext4_lookup:1787: inode #2: comm x: deleted inode referenced: 12", true},
		{"EXT4-fs error (device loop4): ext4_lookup:1787: inode #2: comm x: deleted inode referenced: 12", false},
		{"XFS (loop3): Corruption of in-memory data detected.  Shutting down filesystem", true},
		{"XFS (loop3): Mounting V5 Filesystem 3ca37dd5", false},
		{"BTRFS warning (device loop3): csum failed root 5 ino 257 off 0 csum 0x1 expected csum 0x2 mirror 1", true},
		{"BTRFS info (device loop3): first mount of filesystem", false},
		{"Page cache invalidation failure on direct I/O.  Possible data corruption due to collision with buffered I/O!", true},
		{"operation not supported error, dev loop0, sector 196480 op 0x9:(WRITE_ZEROES) flags 0x20000800", false},
		{"Buffer I/O error on dev loop3, logical block 1, lost async page write", true},
		{"Buffer I/O error on device loop3, logical block 8481", true},
		{"Buffer I/O error on device loop5, logical block 8481", false},
		{"Buffer I/O error on dev dm-0, logical block 1, lost async page write", false},
		{"EXT4-fs warning: 7 callbacks suppressed", false},
		{"loop3: detected capacity change from 0 to 196608", false},
		{"EXT4-fs (loop3): mounted filesystem r/w without journal. Quota mode: none.", false},
	} {
		if got := complains(c.line, "loop3"); got != c.want {
			t.Errorf("complains(%q) = %t; want %t", c.line, got, c.want)
		}
	}
}

func TestKernelLogIsRead(t *testing.T) {
	log, err := os.OpenFile("/dev/kmsg", os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		skip.For(t, skip.KMsg, "the kernel's log cannot be read and written: ", err)
	}
	defer log.Close()
	fd := int(log.Fd())
	if _, err := unix.Seek(fd, 0, unix.SEEK_END); err != nil {
		skip.For(t, skip.KMsg, err)
	}
	const text = "sluice: a line of the test of package places"
	if _, err := unix.Write(fd, []byte(text+"\n")); err != nil { // a line without an end can grow
		skip.For(t, skip.KMsg, "the kernel's log cannot be written: ", err)
	}
	if limit, err := os.ReadFile("/proc/sys/kernel/printk_devkmsg"); err != nil || string(limit) == "off\n" {
		skip.For(t, skip.KMsg, "the kernel ignores what is written into its log")
	}
	lines, err := since(fd)
	if err != nil || !strings.Contains(strings.Join(lines, "\n"), text) {
		t.Errorf("since = %q, %v; want a line with %q", lines, err, text)
	}
}

func TestDeviceOf(t *testing.T) {
	make, ok := FileSystems["ext4"]
	if !ok {
		skip.For(t, skip.Platform, "no file systems here")
	}
	dir := make(t, 16<<20)
	if got := deviceOf(dir); !strings.HasPrefix(got, "loop") {
		t.Errorf("deviceOf(%s) = %q; want a loop device", dir, got)
	}
	if got := deviceOf("/proc"); got != "" {
		t.Errorf("deviceOf(/proc) = %q; want none", got)
	}
}
