//go:build !sluice_stress

package handle

import "github.com/sluiceio/sluice/internal/sched"

// UsualParts returns the Parts of sluice.NewScheduler.
func UsualParts() Parts { return Parts{Core: sched.Options{Govern: true, CheckWaits: true}} }
