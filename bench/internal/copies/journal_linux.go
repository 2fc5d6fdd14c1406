package copies

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// journaled reports whether dir's file system has a journal. It is true for all kinds except ext4,
// and if unknown.
func journaled(dir, kind string) bool {
	var st unix.Stat_t
	if kind != "ext4" || unix.Stat(dir, &st) != nil {
		return true
	}
	device, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return true
	}
	task, _ := os.ReadFile("/sys/fs/ext4/" + filepath.Base(device) + "/journal_task")
	return strings.TrimSpace(string(task)) != "<none>"
}
