// Package mountinfo reads names in the kernel's tables of file systems.
package mountinfo

import (
	"strconv"
	"strings"
)

// Unescape returns the name in a field of /proc/self/mountinfo, /proc/self/mounts or /proc/swaps.
// The kernel writes a blank in a name as \040, a tab as \011, a newline as \012, a backslash as
// \134 and, in the name of a device, # as \043 (proc_pid_mountinfo(5), getmntent(3)). Otherwise a
// name with a blank would be two fields. Without Unescape the field matches no file.
func Unescape(field string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(field, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if c, err := strconv.ParseUint(after[:min(3, len(after))], 8, 8); err == nil && len(after) >= 3 {
			b.WriteByte(byte(c))
			after = after[3:]
		} else {
			b.WriteByte('\\')
		}
		field = after
	}
}
