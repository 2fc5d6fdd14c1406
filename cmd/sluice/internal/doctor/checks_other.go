//go:build !linux

package doctor

import "github.com/sluiceio/sluice/bench/machine"

// checks has one finding: the rest is about Linux.
func checks(m machine.Info, _ string) []Check {
	return []Check{{
		Name: "system", Status: Note,
		Found:  m.OS + "/" + m.Arch + ": no io_uring and no Linux AIO here; blocked calls hold threads",
		Advice: "files work as with os.File, through the pool driver; run on Linux for the rest",
	}}
}
