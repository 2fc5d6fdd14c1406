package load

import (
	"bytes"
	"os"
	"strconv"
)

// resident returns the resident memory of this process in bytes, or 0 if unknown. It adds huge
// pages of hugetlb, which the kernel counts separately. /proc/self/status is quicker to read, but
// since Linux 6.2 it is off by up to 256 KiB for each processor.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	var kib int64
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) != 3 {
			continue
		}
		switch string(fields[0]) {
		case "Rss:", "Private_Hugetlb:", "Shared_Hugetlb:":
			n, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			kib += n
		}
	}
	return kib << 10
}
