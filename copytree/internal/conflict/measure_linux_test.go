//go:build amd64 || arm64

package conflict

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestMeasure checks that a file system's step is measured on a file without a name, or on a named
// file if the file system needs one. A dry run makes no name. No name may remain.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for _, test := range []struct {
		unnamed error // the error of CreateUnnamed
		dryRun  bool
		opens   int
	}{
		{nil, false, 1},
		{nil, true, 1},
		{unix.EOPNOTSUPP, false, 2},
		{unix.EOPNOTSUPP, true, 1},
	} {
		opens := 0
		k := at.New()
		k.Fault = func(op string) error {
			if op != "open" {
				return nil
			}
			if opens++; opens == 1 {
				return test.unnamed
			}
			return nil
		}
		r := Resolver{Kernel: k, Opt: &option.Options{DryRun: test.dryRun}}
		var d dirs.Dir
		d.DstFD = fd
		step, _, err := r.measure(&item.Item{Dir: &d})
		refused := test.dryRun && test.unnamed != nil
		if refused != errors.Is(err, unix.EOPNOTSUPP) || !refused && (err != nil || step < exact) || opens != test.opens {
			t.Errorf("%+v: measure = %d, %v after %d opens", test, step, err, opens)
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("%+v: left %v, %v", test, left, err)
		}
	}
}
