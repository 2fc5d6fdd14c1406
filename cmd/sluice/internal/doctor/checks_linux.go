package doctor

import (
	"os"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/machine"
)

func checks(m machine.Info, dir string) []Check {
	seccomp := seccompMode()
	all := []Check{
		{Name: "kernel", Status: OK, Found: m.Kernel + ", " + m.OS + "/" + m.Arch},
		container(),
		seccomp.check(),
		uring(seccomp),
		aio(),
		{Name: "file system", Status: OK, Found: fileSystem(m)},
	}
	all = append(all, fileChecks(dir)...)
	return append(all, limits()...)
}

// fileSystem puts the file system and its device into one phrase.
func fileSystem(m machine.Info) string {
	text := m.FileSystem
	if text == "" {
		text = "unknown"
	}
	if m.Device.Name == "" {
		return text + ", no block device of its own"
	}
	text += " on " + m.Device.Name
	if m.Device.Model != "" {
		text += " (" + m.Device.Model + ")"
	}
	if m.Device.Scheduler != "" {
		text += ", I/O scheduler " + m.Device.Scheduler
	}
	return text
}

// readText returns a small file of /proc or /sys without the white space at
// its ends, "" if there is none.
func readText(name string) string {
	text, _ := os.ReadFile(name)
	return strings.TrimSpace(string(text))
}
