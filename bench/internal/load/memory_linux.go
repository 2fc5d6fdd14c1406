package load

import (
	"bytes"
	"os"
	"strconv"
)

// resident returns the memory of this process that is resident, huge pages of
// hugetlb included, which the kernel counts apart; 0 if it cannot be told. The
// figures of /proc/self/status are quicker to have, and off by up to 256 KiB a
// processor since Linux 6.2.
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
