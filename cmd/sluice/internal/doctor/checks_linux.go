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
		{Name: "file system", Status: OK, Found: m.Disk()},
	}
	all = append(all, fileChecks(dir)...)
	return append(all, limits()...)
}

// readText returns a small file of /proc or /sys without the white space at
// its ends, "" if there is none.
func readText(name string) string {
	text, _ := os.ReadFile(name)
	return strings.TrimSpace(string(text))
}
