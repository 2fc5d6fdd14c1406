//go:build sluice_stress

package handle

import (
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/stress"
)

// UsualParts returns the Parts of sluice.NewScheduler. If the environment asks for stress, there
// are no governors: whatever can be queued is.
func UsualParts() Parts {
	m := stress.Environment()
	if m == nil {
		return Parts{Core: sched.Options{Govern: true, CheckWaits: true}}
	}
	return Parts{Core: sched.Options{Wrap: m.Delay}, Around: m.InFront, NeverLook: true}
}
