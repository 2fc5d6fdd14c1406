package entry

import (
	"github.com/sluiceio/sluice/copytree/internal/conflict"
	"github.com/sluiceio/sluice/copytree/internal/item"
)

// foresee finds out, without any change, what would happen to the existing file at the place of the
// copy. It reports whether the file stays, so that no copy is made. An error is the reason why
// there can be no copy: the two are the same file, for example. It does not call Options.Ask.
func (m *Maker) foresee(it *item.Item) (stays bool, err error) {
	opt, resolver, seen := m.job.Opt, m.conflict, *it
	opt.DryRun, resolver.Opt = true, &opt
	action, err := resolver.Resolve(&seen)
	return err == nil && action == conflict.Leave, err
}
