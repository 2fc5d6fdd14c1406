package entry

import (
	"github.com/sluiceio/sluice/copytree/internal/conflict"
	"github.com/sluiceio/sluice/copytree/internal/item"
)

// foresee finds out what becomes of what exists at the place of the copy, and touches nothing. It
// reports whether that stays, and no copy is made. The error is why there can be none: the two are
// one file, for example. Options.Ask is not asked yet.
func (m *Maker) foresee(it *item.Item) (stays bool, err error) {
	opt, resolver, seen := m.job.Opt, m.conflict, *it
	opt.DryRun, resolver.Opt = true, &opt
	action, err := resolver.Resolve(&seen)
	return err == nil && action == conflict.Leave, err
}
