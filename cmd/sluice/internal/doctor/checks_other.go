//go:build !linux

package doctor

import "github.com/sluiceio/sluice/bench/machine"

// checks returns one finding: all others are about Linux.
func checks(m machine.Info, _ string) []Check {
	return []Check{{
		Name: "system", Status: Note,
		Found:  m.OS + "/" + m.Arch + ": no io_uring and no Linux AIO here; each waiting operation holds a thread",
		Advice: "sluice works with the pool driver; use Linux for io_uring and Linux AIO",
	}}
}
