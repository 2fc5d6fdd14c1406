package entry

import (
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/fault"
)

// Denied returns err, the error of a call for the entry src of d or for its copy dst. If the
// directory may not be searched, it returns stat's error instead: GNU cp calls stat(2) first. The
// caller uses d.
func (m *Maker) Denied(d *dirs.Dir, src, dst at.Name, f at.Follow, err error) error {
	denied, ok := err.(*fault.Fault)
	if !ok || !errors.Is(denied.Err, syscall.EACCES) {
		return err
	}
	dir, name := d.SrcFD, src
	if denied.Dest {
		dir, name, f = d.DstFD, dst, at.NoFollow
	}
	var s at.Stat
	if errors.Is(m.Kernel.Stat(dir, name, f, &s), syscall.EACCES) {
		return fault.New("stat", denied.Dest, denied.Err)
	}
	return err
}
