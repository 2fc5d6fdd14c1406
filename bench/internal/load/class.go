package load

import (
	"errors"
	"fmt"

	"github.com/sluiceio/sluice"
)

// The classes of sides with a Side.Class, and their weights.
const (
	Foreground = "foreground"
	Background = "background"

	foregroundWeight = 100
	backgroundWeight = 10
)

// openClassed opens the file for a side with a class, on a Scheduler that no other file uses.
func openClassed(s Setup, flag int) (*target, error) {
	sched, err := sluice.NewScheduler(sluice.Options{Driver: s.Side.Driver})
	if err != nil {
		return nil, &unsupportedError{err.Error()}
	}
	t, err := classedTarget(sched, s, flag)
	if err != nil {
		return nil, errors.Join(err, sched.Close())
	}
	return t, nil
}

// classedTarget opens the file on sched once, and makes two views: one of the side's class for the
// load, and one of Background for the flood.
func classedTarget(sched *sluice.Scheduler, s Setup, flag int) (*target, error) {
	f, err := sched.OpenFile(s.Path, flag, 0)
	if err != nil {
		return nil, err
	}
	views := map[string]*sluice.File{}
	for name, weight := range map[string]int{Foreground: foregroundWeight, Background: backgroundWeight} {
		c, err := sched.Class(name, sluice.ClassOptions{Weight: weight})
		if err != nil {
			return nil, err
		}
		if views[name], err = f.WithClass(c); err != nil {
			return nil, err
		}
	}
	if views[s.Side.Class] == nil {
		return nil, fmt.Errorf("unknown class %q", s.Side.Class)
	}
	return &target{
		file:    views[s.Side.Class],
		flood:   (&target{file: views[Background]}).read,
		explain: sched.Explain,
		stats:   func() any { return sched.Stats() },
		close:   sched.Close,
	}, nil
}
