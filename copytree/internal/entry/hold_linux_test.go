//go:build amd64 || arm64

package entry

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestHoldNoFIFO checks that calls on a FIFO do not hold the P. They may wait for a writer, and
// would block the garbage collector.
func TestHoldNoFIFO(t *testing.T) {
	name := t.TempDir()
	if err := errors.Join(unix.Mkfifo(filepath.Join(name, "fifo"), 0o600), os.WriteFile(filepath.Join(name, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(filepath.Join(name, "fifo"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	long := new(longCopies)
	m := NewMaker(&Job{Opt: option.Options{CopyContents: true}}, at.New(), long)
	for kind, file := range map[at.Type]string{at.FIFO: "fifo", at.Regular: "file"} {
		d := &dirs.Dir{}
		d.SrcFD = int(in.Fd())
		it := item.Item{Dir: d, Src: at.NameOf(file), Type: kind, SrcFD: -1, DstFD: -1}
		m.Hold.Holds = true
		if err := m.openSource(&it); err != nil {
			t.Fatal(err)
		}
		m.closeSource(&it)
		if want := kind == at.Regular; m.Hold.Holds != want {
			t.Errorf("Hold is %t after opening a %s; want %t", m.Hold.Holds, file, want)
		}
	}
	if *long != 1 {
		t.Errorf("%d of the two files may take long; want 1, the FIFO", *long)
	}
}

// longCopies counts the calls of LongCopy.
type longCopies int

func (*longCopies) CacheMissing() {}
func (n *longCopies) LongCopy()   { *n++ }
