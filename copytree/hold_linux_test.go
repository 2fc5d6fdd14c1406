//go:build amd64 || arm64

package copytree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// TestHoldNoFIFO: the opening of a FIFO, which takes until somebody writes to it,
// is told to the Go scheduler, and its reading, too; garbage could not be
// collected meanwhile.
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
	j, err := newJob(t.Context(), Options{CopyContents: true}, at.New())
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	w := newWorker(j, 0)
	for kind, file := range map[at.Type]string{at.FIFO: "fifo", at.Regular: "file"} {
		it := item{in: &dir{handle: handle{src: int(in.Fd())}}, src: at.NameOf(file), kind: kind, fd: -1, out: -1}
		w.kernel.Hold = true
		if err := w.openSource(&it); err != nil {
			t.Fatal(err)
		}
		w.closeSource(&it)
		if want := kind == at.Regular; w.kernel.Hold != want {
			t.Errorf("Hold is %t after opening a %s; want %t", w.kernel.Hold, file, want)
		}
	}
}
